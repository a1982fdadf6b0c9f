/**
 * The one writer. Units of work that are ready together share one transaction and so one fsync; each runs in a
 * savepoint of its own, so that one that fails takes nobody else's work with it. A unit's promise resolves only after
 * the commit, and rejects where the commit failed: then nothing of the group is kept.
 */

import type { Connection } from './connection.ts';

/** So many share the fsync, and the merge of the full-text index, that waiting for one more gains nothing. */
const UNITS_WORTH_WAITING_FOR = 32;
/** How long a group waits for units that are on their way. An idle box waits for nobody. */
const MAX_WAIT_MS = 5;

/** Bounds how long one group may hold the loop, and how much one failed commit can take back. */
const MAX_UNITS_PER_COMMIT = 200;

interface Unit {
  run(): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

export interface GroupCommit {
  /** Runs `work` inside a transaction. It awaits queries and nothing else: all other units wait for it. */
  submit<T>(work: (afterCommit: (effect: () => void) => void) => Promise<T>): Promise<T>;
  /** True while a unit runs. */
  readonly active: boolean;
  /** Resolves once all that was submitted is settled. */
  drain(): Promise<void>;
}

/** @param isMoreComing whether units are on their way that could share the next commit */
export const createGroupCommit = (connection: Connection, isMoreComing: () => boolean = () => false): GroupCommit => {
  const waiting: Unit[] = [];
  const statement = (sql: string) => connection.prepare(sql);
  const begin = statement('begin immediate');
  const commit = statement('commit');
  const rollback = statement('rollback');
  const savepoint = statement('savepoint unit');
  const release = statement('release unit');
  const rollbackUnit = statement('rollback to unit');
  let active = false;
  let flushing: Promise<void> | null = null;

  const runUnit = async (unit: Unit): Promise<boolean> => {
    savepoint.run();
    active = true;
    try {
      await unit.run();
      active = false;
      release.run();
      return true;
    } catch (error) {
      active = false;
      // A full disk or an I/O error ends the whole transaction by itself; then the group has failed.
      if (!connection.inTransaction) throw error;
      rollbackUnit.run();
      release.run();
      unit.fail(error);
      return false;
    }
  };

  const commitGroup = async (group: Unit[]): Promise<void> => {
    const done: Unit[] = [];
    const pending = new Set(group);
    try {
      begin.run();
      for (const unit of group) {
        if (await runUnit(unit)) done.push(unit);
        else pending.delete(unit);
      }
      commit.run();
    } catch (error) {
      if (connection.inTransaction) rollback.run();
      for (const unit of pending) unit.fail(error);
      return;
    }
    for (const unit of done) unit.settle();
  };

  const gather = async (): Promise<void> => {
    // What arrives in this turn of the loop joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + MAX_WAIT_MS;
    while (waiting.length < UNITS_WORTH_WAITING_FOR && isMoreComing() && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 1));
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
