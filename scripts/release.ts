/**
 * Makes a release: a tarball with the built server, client and console, the lock file and the installer, and its checksums.
 * The same sources make the same bytes. `--into FOLDER` makes the tree alone, without the client, which no server needs.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const CONTENT = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'build/console',
  'build/server',
  'config/bounce-rules.toml',
  'config/plans.toml',
  'config/postroom.example.toml',
  'install.sh',
  'package-lock.json',
  'package.json',
  'scripts/install',
  'scripts/postroom',
  'systemd',
];
/** Of a file that has no time of its own: the time of a build would make each tarball another. */
const TIME = '2000-01-01 00:00:00Z';
const SUMS = 'SHA256SUMS';

const node = (...args: string[]): void => {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
};

const sumsOf = (folder: string): string => {
  const files = globSync('**/*', { cwd: folder, exclude: [SUMS] }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  const sum = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  return files
    .sort()
    .map((file) => `${sum(file)}  ${file}\n`)
    .join('');
};

const assemble = (folder: string, content: readonly string[]): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of content) cpSync(join(ROOT, each), join(folder, each), { recursive: true });
  // The modes of a checkout follow its umask.
  for (const file of globSync('**/*', { cwd: folder })) {
    const { mode } = statSync(join(folder, file));
    chmodSync(join(folder, file), (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  writeFileSync(join(folder, SUMS), sumsOf(folder), { mode: 0o644 });
};

const pack = (folder: string, name: string): string => {
  const order = ['--sort=name', `--mtime=${TIME}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  const tar = execFileSync('tar', [...order, '-C', folder, '-cf', '-', name], { maxBuffer: 2 ** 30 });
  const zipped = execFileSync('gzip', ['-9', '-n'], { input: tar, maxBuffer: 2 ** 30 });
  const file = `${name}.tar.gz`;
  writeFileSync(join(folder, file), zipped);
  writeFileSync(join(folder, SUMS), `${createHash('sha256').update(zipped).digest('hex')}  ${file}\n`);
  return join(folder, file);
};

const { values } = parseArgs({ options: { into: { type: 'string' }, out: { type: 'string' } } });
node('scripts/build-server.ts', '--if-stale');
node('scripts/build-console.ts', '--if-stale');
if (values.into !== undefined) {
  assemble(resolve(values.into), CONTENT);
} else {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const out = resolve(values.out ?? join(ROOT, 'release'));
  const name = `postroom-${version}`;
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.client.json');
  assemble(join(out, name), [...CONTENT, 'dist']);
  const file = pack(out, name);
  rmSync(join(out, name), { recursive: true });
  console.log(file);
}
