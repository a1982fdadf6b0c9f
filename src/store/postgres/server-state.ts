/** What the engine asks of a server. */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type pg from 'pg';
import { codeOf } from '../../kernel/text/message-of.ts';
import { ServerError, UnwritableError } from '../store-errors.ts';
import { IS_DAEMON_LOCK, listBoxes } from './boxes.ts';
import { reasonOf } from './lost-connections.ts';

/** `server_version_num` of PostgreSQL 15. */
const OLDEST = 150_000;

export interface ServerState {
  /** As `15.18`. */
  version: string;
  /** Why a daemon does not start on it; null: it does. */
  fault: string | null;
  /** By how many ms its clock is ahead of this one. */
  clockOffset: number;
  /** The address of the machine with the daemon that works on the database; `local` on its socket, null without one. */
  lockedFrom: string | null;
  /** The names of the boxes that do not lead. */
  others: string[];
  /** The address that is connected to without TLS; null: there is TLS, or it is a socket of this machine. */
  plainTo: string | null;
}

interface Row {
  version: string;
  number: number;
  encoding: string;
  synchronous: string;
  now: number;
  locked_from: string | null;
  process: number;
}

const STATE = `select current_setting('server_version') as version, current_setting('server_version_num')::bigint as number,
  current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as synchronous,
  extract(epoch from clock_timestamp())::double precision * 1000 as now,
  (select coalesce(host(a.client_addr), 'local') from pg_locks l join pg_stat_activity a using (pid)
   where ${IS_DAEMON_LOCK}) as locked_from,
  pg_backend_pid() as process`;

const SHARED =
  'A pooler in front of it gives one session to several connections, as PgBouncer does in transaction mode: the lock that keeps a second daemon away holds in a session alone. Set pool_mode = session for this database, or name the server itself.';
/** Of a pooler that others use, one look may see sessions. */
const LOOKS = 4;

/** Whether the process of the server that works for a connection changes, or works for another one too. */
const isShared = async (client: pg.ClientBase, process: number, url: string): Promise<boolean> => {
  // A pooler has told a number of its own.
  if ((client as { processID?: number }).processID === process) return false;
  const other = (await import('./connections.ts')).createClient(url);
  const processOf = async (by: pg.ClientBase) =>
    (await by.query<{ process: number }>('select pg_backend_pid() as process')).rows[0]?.process;
  try {
    await other.connect();
    for (let look = 0; look < LOOKS; look += 1) {
      const theirs = await processOf(other);
      if (theirs === process || (await processOf(client)) !== process) return true;
    }
    return false;
  } finally {
    await other.end();
  }
};

const findFault = ({ version, number, encoding, synchronous }: Row): string | null => {
  if (number < OLDEST) return `It is PostgreSQL ${version}; 15 or later is needed.`;
  if (encoding !== 'UTF8')
    return `The database's encoding is ${encoding}. Create it with: encoding 'UTF8' template template0.`;
  if (synchronous === 'off')
    return "It has synchronous_commit = off, and may lose what was acknowledged. Set it on: alter role USER set synchronous_commit = 'on'.";
  return null;
};

/** The library asks for TLS only where the URL says so; libpq, and with it psql, by itself. */
const findPlainPeer = (client: pg.ClientBase): string | null => {
  const { stream } = (client as unknown as { connection: { stream: Socket | TLSSocket } }).connection;
  return 'encrypted' in stream ? null : (stream.remoteAddress ?? null);
};

/** @param url of the database, which `client` is connected to */
export const readServerState = async (client: pg.ClientBase, url: string): Promise<ServerState> => {
  const began = Date.now();
  const { rows } = await client.query<Row>(STATE);
  const [row] = rows;
  if (!row) throw new ServerError('The server does not answer.');
  const clockOffset = Math.round(row.now - (began + Date.now()) / 2);
  return {
    version: row.version,
    fault: findFault(row) ?? ((await isShared(client, row.process, url)) ? SHARED : null),
    clockOffset,
    lockedFrom: row.locked_from,
    others: (await listBoxes(client)).filter(({ state }) => state !== 'leading').map(({ name }) => name),
    plainTo: findPlainPeer(client),
  };
};

/** @throws ServerError where a daemon would lose mail or could not write on it */
export const requireServer = async (client: pg.ClientBase, url: string): Promise<void> => {
  const { fault } = await readServerState(client, url);
  if (fault !== null) throw new ServerError(`The database server cannot be used. ${fault}`);
};

/** An error of the server or of the way to it, in words; another one as it is. */
export const toServerError = (error: unknown, location: string): unknown => {
  const cause = error instanceof UnwritableError ? error.cause : error;
  if (codeOf(cause) === null && cause === error) return error;
  return new ServerError(`The database ${location} cannot be used: ${reasonOf(cause)}`, { cause });
};
