/**
 * Makes a release: a tarball for each platform with the built server and console, their packages, the Node that runs them
 * and the installer, and the checksums of the tarballs. The same sources make the same bytes.
 * `--image` makes an OCI image too, for this machine's processor, as a folder in the image layout; it wants root.
 * `--into FOLDER` makes the tree for this machine alone. `--level` is that of the compression. `--sign KEY` signs with an Ed25519 key of ssh-keygen.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeImage } from './release-image.ts';
import { copyPackages } from './release-packages.ts';

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
const PLATFORMS = ['x64', 'arm64'];
/** Of a file that has no time of its own: the time of a build would make each tarball another. */
const TIME = '2000-01-01 00:00:00Z';
const SUMS = 'SHA256SUMS';
/** What install.sh asks ssh-keygen for. */
const NAMESPACE = 'postroom-release';
const ALLOWED_SIGNERS = 'release-signers';

const node = (...args: string[]): void => {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
};

/** Every file below a folder, relative to it, in the order of its bytes. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const writeSums = (folder: string): void => {
  const sum = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  const files = filesOf(folder).filter((file) => file !== SUMS);
  writeFileSync(join(folder, SUMS), files.map((file) => `${sum(file)}  ${file}\n`).join(''), { mode: 0o644 });
};

/** Writes SHA256SUMS.sig beside SHA256SUMS. */
const sign = (folder: string, key: string): void => {
  const file = join(folder, SUMS);
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', NAMESPACE, file], { stdio: 'inherit' });
};

/** @param signer the private key's file; its public key goes into the tree, where a first install takes it from */
const assemble = (folder: string, cpu: string, signer: string | undefined): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of CONTENT) cpSync(join(ROOT, each), join(folder, each), { recursive: true });
  copyPackages(cpu === arch() ? ROOT : installFor(cpu), folder, cpu);
  if (signer !== undefined) {
    const [type, key] = readFileSync(`${signer}.pub`, 'utf8').split(' ');
    writeFileSync(join(folder, ALLOWED_SIGNERS), `${NAMESPACE} namespaces="${NAMESPACE}" ${type} ${key?.trim()}\n`);
  }
  // The modes of a checkout follow its umask.
  for (const file of filesOf(folder)) {
    const { mode } = statSync(join(folder, file));
    chmodSync(join(folder, file), (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
  writeSums(folder);
  if (signer !== undefined) sign(folder, signer);
};

/** The packages of another processor, which `npm ci` leaves out here. */
const installFor = (cpu: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-packages-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(join(ROOT, file), join(folder, file));
  const options = ['--omit=dev', '--os=linux', '--libc=glibc', `--cpu=${cpu}`, '--no-progress', '--prefer-offline'];
  execFileSync('npm', ['ci', '--ignore-scripts', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
};

/** @param level of gzip's compression, 1 to 9 */
const pack = (folder: string, level: string): string => {
  const order = ['--sort=name', `--mtime=${TIME}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  const file = `${folder}.tar.gz`;
  const command = `tar "$@" | gzip -${level} -n > "$0"`;
  execFileSync('bash', [
    '-o',
    'pipefail',
    '-c',
    command,
    file,
    ...order,
    '-C',
    dirname(folder),
    '-c',
    basename(folder),
  ]);
  return file;
};

const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    out: { type: 'string' },
    sign: { type: 'string' },
    platform: { type: 'string', multiple: true },
    image: { type: 'boolean', default: false },
    level: { type: 'string', default: '6' },
  },
});
node('scripts/build-server.ts', '--if-stale');
node('scripts/build-console.ts', '--if-stale');
const signer = values.sign && resolve(values.sign);
if (values.into !== undefined) {
  assemble(resolve(values.into), arch(), signer);
} else {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const out = resolve(values.out ?? join(ROOT, 'release'));
  for (const each of [SUMS, `${SUMS}.sig`]) rmSync(join(out, each), { force: true });
  for (const cpu of values.platform ?? PLATFORMS) {
    const folder = join(out, `postroom-${version}-linux-${cpu}`);
    assemble(folder, cpu, signer);
    if (values.image && cpu === arch()) makeImage(folder, `${folder}.oci`, { version, cpu });
    console.log(pack(folder, values.level));
    rmSync(folder, { recursive: true });
  }
  writeSums(out);
  if (signer !== undefined) sign(out, signer);
}
