/** A release is installed, upgraded and removed on a booted machine. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { makeKey, makeTree } from '../../harness/machine/versions.ts';

const ROOT = join(import.meta.dirname, '../../..');
const isRoot = process.getuid?.() === 0;

// On a loaded machine its many starts of the CLI take minutes.
t.setTimeout(600_000);

t.test(
  'a release on an untouched Debian 12',
  isRoot || process.env.CI ? {} : { skip: 'Namespaces of a machine of its own want root.' },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-release-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const key = join(folder, 'key');
    makeKey(key);
    // As a tree: packing and unpacking cost as much as the installation, and are tried at night.
    const tree = join(folder, 'postroom');
    makeTree(tree, key);
    const root = execFileSync(join(ROOT, 'scripts/test-root'), ['bookworm'], { encoding: 'utf8' }).trim();
    const script = join(import.meta.dirname, 'on-a-machine.ts');
    const words = [process.execPath, script, root, tree, key];
    await t.spawn(join(ROOT, 'test/harness/machine/world'), words, { cwd: ROOT }, 'on a machine');
  },
);
