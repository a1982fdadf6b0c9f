/** A release: the same sources make the same bytes; its scripts and its unit are sound. `npm run machines` installs it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { atNight } from '../../harness/long-form.ts';
import { makeKey, makeRelease, makeTree } from '../../harness/machine/versions.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The hashed names are of parts; the others begin to run. */
const LOAD_ALL = `
  const { globSync } = await import('node:fs');
  const files = globSync('build/server/*-????????.js');
  for (const file of files) await import(process.cwd() + '/' + file).catch((error) => console.log(file, error.message));
  console.log(files.length > 50);
  process.exit(0);`;
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Why a part cannot run here; false where it can. CI has everything. */
const missing = (program: string, where: string): string | false => {
  if (has(program) || process.env.CI) return false;
  return `${program} is missing: ${where}`;
};

t.test('shell scripts', { skip: missing('shellcheck', 'scripts/test-deps') }, async (t) => {
  const scripts = [
    'install.sh',
    'scripts/postroom',
    'scripts/release',
    'scripts/packages',
    'scripts/test',
    'scripts/test-deps',
    '.ci/run',
  ];
  const ofInstall = ['scripts/install/postroom', 'scripts/install/nightly-backup'];
  const ofMachines = ['scripts/test-root', 'test/harness/machine/world', 'test/harness/machine/boot'];
  const { status, stdout } = spawnSync('shellcheck', ['-x', '-a', ...scripts, ...ofInstall, ...ofMachines], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  t.equal(status, 0, stdout);
});

t.test('the unit', { skip: missing('systemd-analyze', 'apt-get install systemd') }, async (t) => {
  const analyse = (...args: string[]) =>
    spawnSync('systemd-analyze', [...args, 'systemd/postroom.service'], { cwd: ROOT, encoding: 'utf8' });
  // Tenths: under 2.0.
  const { status, stdout } = analyse('security', '--offline=true', '--threshold=19', '--no-pager');
  t.equal(status, 0, stdout.split('\n').find((line) => line.includes('Overall')) ?? stdout);
  // Known from systemd 254 on; the installer leaves them out before.
  const isExpected = (line: string): boolean =>
    line.includes('is not executable') || /'Restart(?:Steps|MaxDelaySec)'/.test(line);
  const complaints = analyse('verify')
    .stderr.split('\n')
    .filter((line) => line.includes('postroom.service') && !isExpected(line));
  t.same(complaints, []);
});

/** A folder for the test, with a key to sign releases by. */
const makeFolder = (t: Test): { folder: string; key: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-release-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const key = join(folder, 'key');
  makeKey(key);
  return { folder, key };
};

t.test('each file of the server loads with the packages of the release', async (t) => {
  const { folder, key } = makeFolder(t);
  const tree = join(folder, 'postroom');
  makeTree(tree, key);
  const load = ['--input-type=module', '-e', LOAD_ALL];
  const { stdout } = spawnSync('node_modules/.bin/node', load, { cwd: tree, encoding: 'utf8' });
  t.equal(stdout, 'true\n');
});

t.test('a release', { skip: atNight }, async (t) => {
  const { folder, key } = makeFolder(t);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const tarball = makeRelease(first, key);

  await t.test('the same sources make the same bytes, whenever', async (t) => {
    for (const name of ['README.md', 'systemd/postroom.service']) utimesSync(join(ROOT, name), new Date(), new Date());
    makeRelease(second, key);
    const sums = (of: string): string => readFileSync(join(of, 'SHA256SUMS'), 'utf8');
    t.equal(sums(first), sums(second));
    t.equal(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first }).status, 0);
    t.ok(existsSync(join(first, 'SHA256SUMS.sig')));
    const names = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8', maxBuffer: 2 ** 24 }).split('\n');
    t.notOk(names.some((name) => /^[^/]+\/(?:src|test|dist)\//.test(name) || /\/(?:typescript|vite)\//.test(name)));
    for (const part of ['build/server/main.js', 'build/console/index.html', 'node_modules/.bin/node']) {
      t.ok(
        names.some((name) => name.endsWith(`/${part}`)),
        part,
      );
    }
  });
});
