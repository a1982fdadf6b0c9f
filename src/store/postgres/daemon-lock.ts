/** The lock that one daemon holds on the database. It is a session's, and is taken again where its connection ends. */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { LockedError } from '../store-errors.ts';
import { UnlockedError } from './lost-connections.ts';

/** Of `pg_locks.objid`. */
export const DAEMON_LOCK = 3_572;
const RETAKE_MS = 200;
/** The server finds out within half a minute that the daemon's machine is gone. */
const KEEPALIVES = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

export interface DaemonLock {
  /** @throws UnlockedError while it is not held */
  require(): void;
  release(): Promise<void>;
}

/** For commands, which work beside a daemon. */
export const noDaemonLock: DaemonLock = { require: () => {}, release: async () => {} };

/** @throws LockedError where another daemon works on the database */
export const lockDatabase = async (
  createClient: () => pg.Client,
  onFault: (error: unknown) => void,
): Promise<DaemonLock> => {
  let held: pg.Client | null = null;
  let isReleased = false;

  const take = async (): Promise<void> => {
    const client = createClient();
    try {
      await client.connect();
      await client.query(KEEPALIVES);
      const { rows } = await client.query<{ held: number }>('select pg_try_advisory_lock($1) as held', [DAEMON_LOCK]);
      if (!rows[0]?.held) throw new LockedError('Another daemon works on the database.');
      client.once('end', () => {
        held = null;
        void retake();
      });
      held = client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  };

  const retake = async (): Promise<void> => {
    let isTold = false;
    while (!isReleased && held === null) {
      try {
        await take();
      } catch (error) {
        if (!isTold) onFault(error);
        isTold = true;
        await pause(RETAKE_MS, undefined, { ref: false });
      }
    }
    if (isReleased) await held?.end();
  };

  await take();
  return {
    require: () => {
      if (held === null) throw new UnlockedError('The lock of the database is being taken again.');
    },
    release: async () => {
      isReleased = true;
      await held?.end();
    },
  };
};
