/**
 * The one writer. Units of work that are ready together share one transaction and so one fsync. Where one of them fails,
 * the group is rolled back and each runs in a transaction of its own: a unit fails by its own fault alone, and the usual
 * case needs no savepoints, at each of which the full-text index would write out what it has gathered. A unit's promise
 * resolves only after the commit that has its work.
 */

import { setTimeout as pause, setImmediate as yieldToLoop } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { UnwritableError } from '../store-errors.ts';
import type { Connection } from './open-database.ts';

/** So many share the fsync, and the merge of the full-text index, that waiting for one more gains nothing. */
const UNITS_WORTH_WAITING_FOR = 32;
/** How long a group waits for units that are on their way; without any it does not wait. */
const MAX_WAIT_MS = 5;

/** Bounds how long one group may hold the loop, and how much work one failed commit rolls back. */
const MAX_UNITS_PER_COMMIT = 200;

const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

const toWriteError = (error: unknown): unknown =>
  error instanceof Database.SqliteError && UNWRITABLE.test(error.code)
    ? new UnwritableError(error.message, { cause: error })
    : error;

interface Unit {
  run(): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

export interface GroupCommit {
  /**
   * Runs `work` inside a transaction. It awaits queries and nothing else, because all other units wait for it; and it may
   * run twice, so that all its other effects belong into `afterCommit`.
   */
  submit<T>(work: (afterCommit: (effect: () => void) => void) => Promise<T>): Promise<T>;
  /** True while a unit runs. */
  readonly active: boolean;
  /** Resolves once all submitted units have ended. */
  drain(): Promise<void>;
}

export interface GroupCommitOptions {
  /** Whether units are on their way that could share the next commit. */
  isMoreComing?: () => boolean;
  /** Runs every nth unit twice, its first run rolled back: for tests of the contract of {@link GroupCommit.submit}. */
  repeatEvery?: number | undefined;
}

export const createGroupCommit = (
  connection: Connection,
  { isMoreComing = () => false, repeatEvery }: GroupCommitOptions = {},
): GroupCommit => {
  let units = 0;
  const waiting: Unit[] = [];
  const statement = (sql: string) => connection.prepare(sql);
  const begin = statement('begin immediate');
  const commit = statement('commit');
  const rollback = statement('rollback');
  let active = false;
  let flushing: Promise<void> | null = null;

  const runUnit = async (unit: Unit): Promise<void> => {
    active = true;
    units += 1;
    try {
      if (repeatEvery !== undefined && units % repeatEvery === 0) {
        connection.exec('savepoint first_run');
        await unit.run();
        connection.exec('rollback to first_run; release first_run');
      }
      await unit.run();
    } finally {
      active = false;
    }
  };

  const commitGroup = async (group: readonly Unit[]): Promise<void> => {
    try {
      begin.run();
      for (const unit of group) await runUnit(unit);
      commit.run();
    } catch (error) {
      // A full disk or an I/O error has ended the transaction by itself.
      if (connection.inTransaction) rollback.run();
      if (group.length === 1) group[0]?.fail(toWriteError(error));
      else for (const unit of group) await commitGroup([unit]);
      return;
    }
    for (const unit of group) unit.settle();
  };

  const gather = async (): Promise<void> => {
    // What arrives in this turn of the loop joins the group.
    await yieldToLoop();
    const until = performance.now() + MAX_WAIT_MS;
    while (waiting.length < UNITS_WORTH_WAITING_FOR && isMoreComing() && performance.now() < until) {
      await pause(1);
    }
  };

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await gather();
      await commitGroup(waiting.splice(0, MAX_UNITS_PER_COMMIT));
    }
    flushing = null;
  };

  return {
    get active() {
      return active;
    },
    submit: (work) =>
      new Promise((resolve, reject) => {
        let effects: (() => void)[] = [];
        let settle = () => {};
        waiting.push({
          run: async () => {
            effects = [];
            const value = await work((effect) => effects.push(effect));
            settle = () => resolve(value);
          },
          settle: () => {
            for (const effect of effects) effect();
            settle();
          },
          fail: reject,
        });
        flushing ??= flush();
      }),
    drain: async () => {
      while (flushing) await flushing;
    },
  };
};
