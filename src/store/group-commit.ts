/**
 * The only writer of a process. Units of work that are ready together share one transaction and so one fsync. If one fails,
 * the group is rolled back and each unit runs alone, so a unit fails by its own fault only. A unit's promise resolves
 * after its commit.
 */

import { setTimeout as pause, setImmediate as yieldToLoop } from 'node:timers/promises';

/** With so many units in a group, waiting for one more saves nothing. */
const UNITS_WORTH_WAITING_FOR = 32;
/** How long a group waits for announced units; without any it does not wait. */
const MAX_WAIT_MS = 5;

/** Bounds how much work one failed commit rolls back. */
const MAX_UNITS_PER_COMMIT = 200;
/** After so long a group takes no further unit: on SQLite it holds the loop, on PostgreSQL the lock. */
const MAX_GROUP_MS = 100;
/** Pause after a group that gives way: as long as it took, within these bounds. SQLite's busy handler retries after 1 to 100 ms. */
const BREATH_MS = { least: 3, most: 1_000 };

interface Unit {
  run(): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

/** A transaction as an engine runs it. */
export interface GroupTransaction {
  begin(): void | Promise<void>;
  /** Resolves once it is on disk. */
  commit(): void | Promise<void>;
  /** Also of one that an error has ended. */
  rollback(): void | Promise<void>;
  /** Begins a part of it that {@link takeBack} ends: for tests. */
  mark(): void | Promise<void>;
  takeBack(): void | Promise<void>;
  /** What a unit is told of an error of the engine. */
  toStoreError(error: unknown): unknown;
  /** Waits until the group may run again whole; false: its units run alone. @throws what all of them are told */
  recover(error: unknown): boolean | Promise<boolean>;
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
  /** Pauses between groups, so that another process gets the lock: a daemon's loop stands still while it waits for it. */
  givesWay?: boolean | undefined;
  /** Runs every nth unit twice, its first run rolled back: for tests of the contract of {@link GroupCommit.submit}. */
  repeatEvery?: number | undefined;
}

export const createGroupCommit = (
  transaction: GroupTransaction,
  { isMoreComing = () => false, givesWay = false, repeatEvery }: GroupCommitOptions = {},
): GroupCommit => {
  let units = 0;
  const waiting: Unit[] = [];
  let active = false;
  let flushing: Promise<void> | null = null;

  const runUnit = async (unit: Unit): Promise<void> => {
    active = true;
    units += 1;
    try {
      if (repeatEvery !== undefined && units % repeatEvery === 0) {
        await transaction.mark();
        await unit.run();
        await transaction.takeBack();
      }
      await unit.run();
    } finally {
      active = false;
    }
  };

  /** When the next group may begin. */
  let next = 0;
  const inTurn = async (group: readonly Unit[]): Promise<void> => {
    if (!givesWay) return commitGroup(group);
    await pause(Math.max(0, next - performance.now()));
    const begun = performance.now();
    await commitGroup(group);
    const ended = performance.now();
    next = ended + Math.min(Math.max(ended - begun, BREATH_MS.least), BREATH_MS.most);
  };

  const commitGroup = async (group: readonly Unit[]): Promise<void> => {
    let ran = 0;
    try {
      await transaction.begin();
      const until = performance.now() + MAX_GROUP_MS;
      for (const unit of group) {
        if (ran > 0 && performance.now() > until) break;
        await runUnit(unit);
        ran += 1;
      }
      await transaction.commit();
    } catch (error) {
      // At once: another process, or what the loop runs now, may want the lock.
      await transaction.rollback();
      // What the failed unit ran side by side makes no query in the next one: by then it has found that its own is over.
      await yieldToLoop();
      await runAgain(group, error);
      return;
    }
    for (const unit of group.slice(0, ran)) unit.settle();
    waiting.unshift(...group.slice(ran));
  };

  const runAgain = async (group: readonly Unit[], error: unknown): Promise<void> => {
    try {
      if (await transaction.recover(error)) return commitGroup(group);
    } catch (fault) {
      for (const unit of group) unit.fail(fault);
      return;
    }
    if (group.length === 1) group[0]?.fail(transaction.toStoreError(error));
    else for (const unit of group) await commitGroup([unit]);
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
      await inTurn(waiting.splice(0, MAX_UNITS_PER_COMMIT));
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
