/** A release is installed, upgraded and removed on a booted machine. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { makeKey, makeTree } from '../../harness/machine/versions.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The hashed names are of parts; the others begin to run. */
const LOAD_ALL = `
  const { globSync } = await import('node:fs');
  const files = globSync('build/server/*-????????.js');
  for (const file of files) await import(process.cwd() + '/' + file).catch((error) => console.log(file, error.message));
  console.log(files.length > 50);
  process.exit(0);`;
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
    const load = ['--input-type=module', '-e', LOAD_ALL];
    const { stdout } = spawnSync('node_modules/.bin/node', load, { cwd: tree, encoding: 'utf8' });
    t.equal(stdout, 'true\n', 'each file of the server loads with the packages of the release');
    const root = execFileSync(join(ROOT, 'scripts/test-root'), ['bookworm'], { encoding: 'utf8' }).trim();
    const script = join(import.meta.dirname, 'on-a-machine.ts');
    const words = [process.execPath, script, root, tree, key];
    await t.spawn(join(ROOT, 'test/harness/machine/world'), words, { cwd: ROOT }, 'on a machine');
  },
);
