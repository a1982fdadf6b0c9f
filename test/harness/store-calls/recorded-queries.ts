/** The queries that the store's functions run, recorded while each is called. */

import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledQuery } from 'kysely';
import type { Test } from 'tap';
import { systemClock } from '../../../src/kernel/clock.ts';
import { openSmallStore } from '../small-store.ts';
import * as accounts from './accounts-calls.ts';
import * as activity from './activity-calls.ts';
import type { Call } from './call.ts';
import * as contacts from './contacts-calls.ts';
import * as domains from './domains-calls.ts';
import * as events from './events-calls.ts';
import * as knowledge from './knowledge-calls.ts';
import * as mail from './mail-calls.ts';
import * as notes from './notes-calls.ts';
import * as oauth from './oauth-calls.ts';
import * as owners from './owners-calls.ts';
import * as sending from './sending-calls.ts';
import * as tls from './tls-calls.ts';
import * as told from './told-calls.ts';
import * as vault from './vault-calls.ts';

export interface RecordedQuery {
  /** The store's function that ran it. */
  by: string;
  query: CompiledQuery;
}

const MODULES: Readonly<Record<string, Readonly<Record<string, Call | null>>>> = {
  ...accounts,
  ...activity,
  ...contacts,
  ...domains,
  ...events,
  ...knowledge,
  ...mail,
  ...notes,
  ...oauth,
  ...owners,
  ...sending,
  ...tls,
  ...told,
  ...vault,
};

/** Ends a unit of work without a commit: each call finds the same rows. */
class RolledBack extends Error {}

/** Every module of the store that has functions; each has its calls in {@link MODULES}. */
export const countStoreModules = (): number => {
  const store = join(import.meta.dirname, '../../../src/store');
  const files = globSync(['*/*.ts', 'settings.ts'], {
    cwd: store,
    exclude: ['{sqlite,postgres,search,migrations,copy}/**'],
  });
  return files.filter((file) => !file.endsWith('-mappings.ts')).length;
};

export const countCalledModules = (): number => Object.keys(MODULES).length;

/** @returns the data file, and each distinct query once for each function */
export const recordQueries = async (t: Test): Promise<{ file: string; queries: RecordedQuery[] }> => {
  const queries = new Map<string, RecordedQuery>();
  let by: string | null = null;
  const onQuery = (query: CompiledQuery): void => {
    if (by !== null) queries.set(`${by} ${query.sql}`, { by, query });
  };
  const small = await openSmallStore(t, systemClock, { onQuery });
  const message = await small.storeMail();
  const now = systemClock.now();
  for (const [name, call] of Object.values(MODULES).flatMap((calls) => Object.entries(calls))) {
    if (!call) continue;
    const unit = small.store.write(async (tx) => {
      by = name;
      try {
        await call({ db: tx.db, tx, small, message, now });
      } finally {
        by = null;
      }
      throw new RolledBack();
    });
    await unit.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw new Error(`${name}: ${String(error)}`, { cause: error });
    });
  }
  return { file: small.file, queries: [...queries.values()] };
};
