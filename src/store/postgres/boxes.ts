/** The boxes of an installation: each is a session of the database, which the server knows as long as its daemon lives. */

import { hostname } from 'node:os';
import type pg from 'pg';
import type { Millis } from '../../kernel/clock.ts';
import { readVersion } from '../../kernel/files/version.ts';
import type { RunId } from '../../kernel/ids.ts';
import type { ServingRun } from '../store.ts';

/** The lock of the daemon that serves: `pg_locks.objid`. */
export const DAEMON_LOCK = 3_572;
/** True of its row in `pg_locks l`. */
export const IS_DAEMON_LOCK = `l.locktype = 'advisory' and l.objid = ${DAEMON_LOCK} and l.classid = 0 and l.granted
  and l.database = (select oid from pg_database where datname = current_database())`;
/** `LISTEN` and `NOTIFY`: the daemon that holds the lock is to hand over. */
export const HAND_OVER = 'postroom_hand_over';
/** The same: another daemon has committed something. A new connection counts as one: what was told before it is lost. */
export const CHANGED = 'postroom_changed';

export interface Box {
  /** The host's name, cut where it is long. */
  name: string;
  /** All listen but those that stand by: one leads, which does what is done once for all. */
  state: 'leading' | 'serving' | 'standing by';
  /** When its daemon connected, by the server's clock. */
  since: Millis;
  /** Since it last asked the server for something: a few seconds, unless it hangs or is cut off. */
  silentMs: Millis;
  /** As `0.1.0`. */
  version: string;
  /** The address that it connects from; null on the server's socket. */
  address: string | null;
}

/** What the server keeps of an `application_name` (NAMEDATALEN). */
const NAME_BYTES = 63;
const FORM = /^postroom (\S+) (on|waits on) (.+)$/;

/** The `application_name` of this process's box. */
export const toBoxName = (isServing: boolean): string =>
  `postroom ${readVersion()} ${isServing ? 'on' : 'waits on'} ${hostname()}`.slice(0, NAME_BYTES);

interface Row {
  named: string;
  leads: number;
  since: number;
  silent: number;
  address: string | null;
}

const BOXES = `select application_name as named, exists (select from pg_locks l where l.pid = a.pid and ${IS_DAEMON_LOCK}) as leads,
  extract(epoch from backend_start)::double precision * 1000 as since,
  extract(epoch from clock_timestamp() - state_change)::double precision * 1000 as silent, host(client_addr) as address
  from pg_stat_activity a where datname = current_database() and application_name ~ '^postroom [^ ]+ (waits )?on '
  order by backend_start`;

export const listBoxes = async (client: pg.ClientBase): Promise<Box[]> =>
  (await client.query<Row>(BOXES)).rows.map(({ named, leads, since, silent, address }) => {
    const [, version = '', where = '', name = ''] = FORM.exec(named) ?? [];
    const state = leads === 1 ? 'leading' : where === 'on' ? 'serving' : 'standing by';
    return { name, state, since: Math.round(since), silentMs: Math.max(Math.round(silent), 0), version, address };
  });

const IS_CONNECTED = `exists (select from pg_stat_activity a where a.pid = boxes.pid and a.backend_start = boxes.since)`;

/** Records that a run serves, as long as this connection lives. */
export const recordServing = async (client: pg.ClientBase, runId: RunId): Promise<void> => {
  await client.query(`delete from boxes where not ${IS_CONNECTED}`);
  await client.query(
    `insert into boxes (run_id, pid, since) select $1, pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
     on conflict (run_id) do update set pid = excluded.pid, since = excluded.since`,
    [runId],
  );
};

/** Of the boxes that have begun to serve beside another. */
export const findServingRuns = async (client: pg.ClientBase): Promise<ServingRun[]> => {
  const query = `select run_id::text as "runId", ending from boxes where ${IS_CONNECTED}`;
  const { rows } = await client.query<{ runId: RunId; ending: number }>(query);
  return rows.map(({ runId, ending }) => ({ runId, isEnding: ending === 1 }));
};

export const recordEnding = async (client: pg.ClientBase, runId: RunId): Promise<void> => {
  await client.query('update boxes set ending = true where run_id = $1', [runId]);
};
