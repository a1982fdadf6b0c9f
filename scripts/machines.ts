/**
 * The installer's tests, on booted machines of Debian 12 and 13: install from a release and from a
 * checkout, certificate, upgrades that fail or are cut, backup and move, two boxes on one database. Minutes; as root. `--suite bookworm` runs one of them.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const WORLD = join(ROOT, 'test/harness/machine/world');
const HTTPS_PORT = 443;

const { values } = parseArgs({ options: { suite: { type: 'string', multiple: true } } });
const suites = values.suite ?? ['bookworm', 'trixie'];
const folder = mkdtempSync(join(tmpdir(), 'postroom-machines-'));

execFileSync(join(ROOT, 'scripts/test-deps'), ['machines'], { stdio: 'inherit' });
/** The registry that npm is set up for; the machines reach it through a socket, for their network leads nowhere. */
const registry = new URL(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()).hostname;
const relay = createServer((from) => {
  const to = connect(HTTPS_PORT, registry);
  from.pipe(to).pipe(from);
  for (const socket of [from, to]) socket.on('error', () => socket.destroy());
});

const makeRoot = (...words: string[]): string =>
  execFileSync(join(ROOT, 'scripts/test-root'), words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

const run = (script: string, ...words: string[]): Promise<boolean> =>
  new Promise((done) => {
    console.log(`== ${script} ${words[0]}`);
    const env = { ...process.env, RELAY: join(folder, 'relay'), REGISTRY: registry };
    const child = spawn(WORLD, [process.execPath, join(ROOT, script), ...words], { cwd: ROOT, env, stdio: 'inherit' });
    child.once('exit', (code) => done(code === 0));
  });

const key = join(folder, 'key');
spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
const options = ['--platform', arch(), '--sign', key, '--out', folder];
execFileSync(process.execPath, [join(ROOT, 'scripts/release.ts'), ...options], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const tarball = join(folder, globSync('*.tar.gz', { cwd: folder })[0] ?? '');
await new Promise<void>((listening) => relay.listen(join(folder, 'relay'), listening));

const failed: string[] = [];
for (const suite of suites) {
  const root = makeRoot(suite);
  const withNpm = makeRoot(suite, 'git', 'nodejs', 'npm');
  if (!(await run('test/machines/install.ts', root, tarball, key))) failed.push(`${suite}: release`);
  if (!(await run('test/machines/move.ts', root, tarball))) failed.push(`${suite}: move`);
  if (!(await run('test/machines/cut.ts', root, tarball, key))) failed.push(`${suite}: cut`);
  if (!(await run('test/machines/boxes.ts', root, tarball))) failed.push(`${suite}: boxes`);
  if (!(await run('test/machines/checkout.ts', withNpm))) failed.push(`${suite}: checkout`);
}
relay.close();
rmSync(folder, { recursive: true, force: true });
console.log(failed.length === 0 ? 'All held.' : `Failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
