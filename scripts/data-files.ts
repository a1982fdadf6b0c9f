/**
 * Makes test/data-files: a data file of every schema that has landed, written by the version that it is of, with a workspace,
 * two agents and a mail between them. What is there stays as it is; a new schema adds a file. It reads the history of git.
 */

import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';

const ROOT = join(import.meta.dirname, '..');
const TARGET = join(ROOT, 'test/data-files');
const KEY = join(TARGET, 'vault.key');
const STARTS_WITHIN_MS = 60_000;
const STORED_WITHIN_MS = 30_000;

const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 28 });

/** The tree of a commit's sources, with the dependencies of this checkout. */
const checkOut = (commit: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-version-'));
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit, 'src', 'config', 'package.json') });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

interface State {
  folder: string;
  name: string;
}

/** The schema of a tree, named for the number of its migrations, the last one, and the text of all. */
const stateOf = async (folder: string): Promise<State> => {
  const lists = ['src/store/migrations.ts', 'src/store/migrations/index.ts'];
  const list = lists.map((file) => join(folder, file)).find((file) => existsSync(file)) ?? '';
  const { migrations } = (await import(list)) as { migrations: { name: string; up: string }[] };
  const texts = JSON.stringify(migrations.map(({ name, up }) => [name, up]));
  const hash = createHash('sha256').update(texts).digest('hex').slice(0, 6);
  const count = String(migrations.length).padStart(2, '0');
  // In a folder for each ten.
  return { folder, name: `${count[0]}0/${count}-${migrations.at(-1)?.name.slice(0, 4)}-${hash}.zst` };
};

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });

const writeConfig = async (folder: string): Promise<{ path: string; url: string }> => {
  const [http, privately, smtp] = [await freePort(), await freePort(), await freePort()];
  const path = join(folder, 'postroom.toml');
  writeFileSync(join(folder, 'vault.key'), readFileSync(KEY), { mode: 0o600 });
  writeFileSync(
    path,
    `hostname = "mx.box.test"
base_domain = "agents.box.test"
public_url = "http://127.0.0.1:${http}"
data_dir = "data"
[vault]
key_file = "vault.key"
[http]
listen = ["127.0.0.1:${http}"]
private_listen = "127.0.0.1:${privately}"
[tls]
mode = "off"
[smtp]
listen = ["127.0.0.1:${smtp}"]
`,
  );
  return { path, url: `http://127.0.0.1:${http}` };
};

const until = async <T>(ms: number, ask: () => Promise<T | null> | T | null): Promise<T> => {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  throw new Error('It took too long.');
};

/** Lets the version write what a user would have it write. */
const fill = async (folder: string): Promise<string> => {
  const { path, url } = await writeConfig(folder);
  const cli = async (...args: string[]): Promise<Record<string, string>> => {
    const line = [join(folder, 'src/main.ts'), ...args, '--json', '--config', path];
    return JSON.parse((await promisify(execFile)(process.execPath, line)).stdout);
  };
  await cli('workspaces', 'add', 'Acme', '--owner', 'owner@box.test', '--verified');
  const ann = await cli('agents', 'add', 'ann', '--workspace', 'acme');
  const bob = await cli('agents', 'add', 'bob', '--workspace', 'acme');
  const daemon = spawn(process.execPath, [join(folder, 'src/main.ts'), 'serve', '--config', path], { stdio: 'pipe' });
  const ended = new Promise((done) => daemon.once('exit', done));
  let output = '';
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on('data', (text) => (output += text));
  const ask = async (key: string | undefined, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const method = body ? 'POST' : 'GET';
    const reply = await fetch(`${url}/v1/messages`, { method, headers, body: body ? JSON.stringify(body) : null });
    return { status: reply.status, text: await reply.text() };
  };
  try {
    await until(STARTS_WITHIN_MS, () => (output.includes('"ready"') ? true : null));
    const sent = await ask(ann.api_key, { to: [bob.address], subject: 'Kept', body: 'Grüße from an earlier version.' });
    if (sent.status !== 200) throw new Error(`${sent.status} ${sent.text}`);
    await until(STORED_WITHIN_MS, async () => ((await ask(bob.api_key)).text.includes('"Kept"') ? true : null));
  } catch (error) {
    throw new Error(output, { cause: error });
  } finally {
    daemon.kill('SIGTERM');
    await ended;
  }
  return join(folder, 'data/postroom.db');
};

const pack = (file: string, target: string): void => {
  const connection = new Database(file);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.exec('vacuum');
  connection.pragma('journal_mode = DELETE');
  connection.close();
  const params = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 };
  writeFileSync(target, zstdCompressSync(readFileSync(file), { params }));
};

mkdirSync(TARGET, { recursive: true });
const commits = git('log', '--first-parent', '--reverse', '--format=%H', '--', 'src/store')
  .toString()
  .trim()
  .split('\n');
let before = '';
for (const commit of commits) {
  const tree = git('ls-tree', '-r', commit, 'src/store').toString();
  const migrations = tree
    .split('\n')
    .filter((line) => /\tsrc\/store\/migrations/.test(line))
    .join('\n');
  if (migrations === before) continue;
  before = migrations;
  const { folder, name } = await stateOf(checkOut(commit));
  const target = join(TARGET, name);
  // Before there was a daemon, nobody had data.
  if (!existsSync(target) && existsSync(join(folder, 'src/main.ts'))) {
    try {
      mkdirSync(dirname(target), { recursive: true });
      pack(await fill(folder), target);
      console.log(`${name} by ${commit.slice(0, 8)}`);
    } catch (error) {
      console.error(`${name} by ${commit.slice(0, 8)}:`, error);
      // The next commit of the same schema may start.
      before = '';
    }
  }
  rmSync(folder, { recursive: true });
}
if (before === '') process.exitCode = 1;
