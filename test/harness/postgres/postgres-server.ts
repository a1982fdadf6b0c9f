/** PostgreSQL as Debian has it, on a socket in a folder of its own. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** Debian's folder of the newest version: its programs are on no `PATH`. */
const PROGRAMS = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? '';
/** Debian 13 has it as a package of its own; Debian 12 has none. */
export const hasPgvector = globSync('/usr/share/postgresql/*/extension/vector.control').length > 0;
const USER = 'postgres';

/** PostgreSQL refuses to run as root: Debian's user runs it then. */
export const findRunner = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const readId = (option: string) => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return { uid: readId('-u'), gid: readId('-g') };
};

/** No server outlives the process that started it, however that ends. */
const running = new Map<ChildProcess, string>();
process.on('exit', () => {
  for (const directory of running.values()) {
    const stop = ['-D', join(directory, 'data'), '-m', 'immediate', '-w', 'stop'];
    execFileSync(join(PROGRAMS, 'pg_ctl'), stop, { ...findRunner(), stdio: 'ignore', cwd: directory });
    rmSync(directory, { recursive: true, force: true });
  }
});

export interface PostgresServer extends AsyncDisposable {
  /** Of its socket and its data. */
  readonly directory: string;
  /** Of its empty database, for a client's `connectionString`. */
  readonly url: string;
  /** The id of its first process, which starts all others. */
  readonly pid: number;
  /** Ends it as a crash does; what was committed is there after {@link start}. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** @param prepare makes the data in a folder that is the server's user's */
const runServer = async (
  prepare: (data: string, run: (program: string, options: readonly string[]) => void) => void,
  own: Readonly<Record<string, string>>,
): Promise<PostgresServer> => {
  const runner = findRunner();
  const directory = mkdtempSync(join(tmpdir(), 'postroom-pg-'));
  const { uid, gid } = runner;
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  const data = join(directory, 'data');
  prepare(data, (program, options) => {
    execFileSync(join(PROGRAMS, program), options, { ...runner, stdio: 'ignore', cwd: directory });
  });
  const settings = { listen_addresses: '', unix_socket_directories: directory, max_connections: '200', ...own };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let crash = async (): Promise<void> => {};
  let pid = 0;

  const start = async (): Promise<void> => {
    const child = spawn(join(PROGRAMS, 'postgres'), ['-D', data, ...options], {
      ...runner,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.set(child, directory);
    pid = child.pid ?? 0;
    const closed = once(child, 'close');
    crash = async () => {
      // Its end is waited for, also where nothing else holds this process.
      child.ref();
      (child.stderr as Socket).ref();
      child.kill('SIGQUIT');
      await closed;
      running.delete(child);
    };
    let said = '';
    for await (const line of createInterface(child.stderr)) {
      said += `${line}\n`;
      if (!/ready to accept (?:read-only )?connections/.test(line)) continue;
      child.stderr.resume();
      child.unref();
      (child.stderr as Socket).unref();
      return;
    }
    await crash();
    throw new Error(`PostgreSQL did not start; scripts/test-deps installs it. ${said}`);
  };

  await start();
  return {
    directory,
    url: `postgres:///postgres?host=${encodeURIComponent(directory)}&user=${USER}`,
    get pid() {
      return pid;
    },
    crash: () => crash(),
    start,
    [Symbol.asyncDispose]: async () => {
      await crash();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const EMPTY = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8'];
/** An empty database, made once on a machine by each user of it: to make one takes a second, to copy it a tenth. */
const KEPT = join(
  import.meta.dirname,
  '../../../node_modules/.cache/postroom-test-postgres',
  [PROGRAMS.replaceAll('/', '-'), findRunner().uid ?? process.getuid?.(), ...EMPTY].join(''),
);
const copyData = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
const keepData = (data: string): void => {
  const fresh = `${KEPT}.${process.pid}`;
  mkdirSync(dirname(KEPT), { recursive: true });
  copyData(data, fresh);
  try {
    renameSync(fresh, KEPT);
  } catch {
    // Another process has made it meanwhile.
    rmSync(fresh, { recursive: true });
  }
};

/** Between commits nothing writes the log, so that a crash always loses what was not committed, its number too. */
const UNMEASURED = { fsync: 'off', autovacuum: 'off', wal_writer_delay: '10s' };

/**
 * Starts a server with an empty database. Its files are gone after it.
 * @param tcp the address that it listens on too, and the network of its clients; left out: none
 * @param isMeasured it waits for the disk and tidies up, as a server of users does; left out: no test needs that
 */
export const startPostgres = (tcp?: { host: string; clients: string }, isMeasured = false): Promise<PostgresServer> =>
  runServer(
    (data, run) => {
      if (existsSync(KEPT)) copyData(KEPT, data);
      else {
        run('initdb', ['-D', data, ...EMPTY]);
        keepData(data);
      }
      if (tcp) appendFileSync(join(data, 'pg_hba.conf'), `host all all ${tcp.clients} trust\n`);
    },
    { ...(tcp && { listen_addresses: tcp.host }), ...(!isMeasured && UNMEASURED) },
  );

/** Starts a copy of a server that follows it until it is promoted. */
export const startStandby = ({ directory }: PostgresServer): Promise<PostgresServer> =>
  runServer(
    (data, run) =>
      run('pg_basebackup', ['-h', directory, '-U', USER, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']),
    UNMEASURED,
  );

/** Runs statements one after the other on a connection of their own. @returns the rows of the last one */
export const queryOnce = async (
  { url }: PostgresServer,
  ...statements: string[]
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let rows: Record<string, unknown>[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
};
