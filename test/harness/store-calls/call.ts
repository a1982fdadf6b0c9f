/** A call of one function of the store, for tests that look at the queries it runs. */

import type { Address } from '../../../src/kernel/address.ts';
import type { Id } from '../../../src/kernel/ids.ts';
import type { Db, Tx } from '../../../src/store/store.ts';
import type { SmallStore } from '../small-store.ts';

export interface CallContext {
  db: Db;
  tx: Tx;
  small: SmallStore;
  /** A message of the small store's mailbox, and its thread. */
  message: Awaited<ReturnType<SmallStore['storeMail']>>;
  now: number;
}

/** Awaits what it calls, so that the queries stand in its transaction; that is rolled back. */
export type Call = (context: CallContext) => Promise<unknown>;

/** A call of each exported function. */
export type CallsOf<Module> = {
  [K in keyof Module as Module[K] extends (...args: never[]) => unknown ? K : never]: Call | null;
};

/** An id without a row. */
export const unknownId = <T extends string>(): Id<T> => '01900000-0000-7000-8000-00000000abcd' as Id<T>;
export const REMOTE = 'carol@remote.test' as Address;
