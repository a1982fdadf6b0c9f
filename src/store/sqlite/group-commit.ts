/**
 * The only writer. Units of work that are ready together share one transaction and so one fsync. If one fails, the
 * group is rolled back and each unit runs alone, so a unit fails by its own fault only. Savepoints are not used: at
 * each, the full-text index would write out its pending terms. A unit's promise resolves after its commit.
 */

import { setTimeout as pause, setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Connection } from './open-database.ts';
import { toStoreError } from './unwritable.ts';

/** With so many units in a group, waiting for one more saves nothing. */
const UNITS_WORTH_WAITING_FOR = 32;
/** How long a group waits for announced units; without any it does not wait. */
const MAX_WAIT_MS = 5;

/** Bounds how long one group may hold the loop, and how much work one failed commit rolls back. */
const MAX_UNITS_PER_COMMIT = 200;

interface Unit {
  run(): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

export interface GroupCommit {
  /**
   * Runs `work` inside a transaction. `work` awaits queries only, because all other units wait for it. It may run
   * twice, so its other effects belong into `afterCommit`.
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
      if (group.length === 1) group[0]?.fail(toStoreError(error));
      else for (const unit of group) await commitGroup([unit]);
      return;
    }
    for (const unit of group) unit.settle();
  };

  const gather = async (): Promise<void> => {
    // Units that arrive in this turn of the loop join the group.
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
