/** A release: the same sources make the same bytes; installed, upgraded and removed in a machine of its own. */

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../../..');
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Why a part cannot run here; false where it can. CI has everything. */
const missing = (program: string, where: string): string | false => {
  if (has(program) || process.env.CI) return false;
  return `${program} is missing: ${where}`;
};

const makeRelease = (): { file: string; folder: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-release-'));
  // Without what tap loads into every Node.
  const script = ['-u', 'NODE_OPTIONS', process.execPath, 'scripts/release.ts', '--out', folder];
  execFileSync('env', script, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  return { file: globSync('*.tar.gz', { cwd: folder })[0] ?? '', folder };
};

// On a loaded machine its many starts of the CLI take minutes.
t.setTimeout(600_000);

t.test('shell scripts', { skip: missing('shellcheck', 'scripts/test-deps') }, async (t) => {
  const scripts = ['install.sh', 'scripts/postroom', 'scripts/release', 'scripts/test', 'scripts/test-deps', '.ci/run'];
  const others = ['scripts/install/postroom', 'scripts/install/nightly-backup', 'test/harness/install/machine'];
  const { status, stdout } = spawnSync('shellcheck', ['-x', '-a', ...scripts, ...others], {
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
  const complaints = analyse('verify')
    .stderr.split('\n')
    .filter((line) => line.includes('postroom.service') && !line.includes('is not executable'));
  t.same(complaints, []);
});

t.test('a release', { timeout: 600_000 }, async (t) => {
  const { file, folder } = makeRelease();
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const bytes = readFileSync(join(folder, file));

  await t.test('the same sources make the same bytes, whenever', async (t) => {
    for (const name of ['README.md', 'systemd/postroom.service']) utimesSync(join(ROOT, name), new Date(), new Date());
    const again = makeRelease();
    t.teardown(() => rmSync(again.folder, { recursive: true, force: true }));
    t.ok(readFileSync(join(again.folder, again.file)).equals(bytes));
    t.equal(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder }).status, 0);
    const names = execFileSync('tar', ['tzf', join(folder, file)], { encoding: 'utf8' }).split('\n');
    t.notOk(names.some((name) => /\/(src|test|node_modules)\//.test(name)));
    for (const part of [
      'build/server/main.js',
      'build/console/index.html',
      'dist/client/index.d.ts',
      'package-lock.json',
    ]) {
      t.ok(
        names.some((name) => name.endsWith(`/${part}`)),
        part,
      );
    }
  });

  const isRoot = process.getuid?.() === 0;
  await t.spawn(
    join(ROOT, 'test/harness/install/machine'),
    [process.execPath, join(import.meta.dirname, 'on-a-machine.ts'), join(folder, file)],
    { cwd: ROOT, ...(isRoot || process.env.CI ? {} : { skip: 'Namespaces of a machine of its own want root.' }) },
    'on a machine',
  );
});
