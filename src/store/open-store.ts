/** Opens the store that a storage URL names: the engine is chosen by its scheme. */

import type { StorageLocation } from '../config/config-values.ts';
import { openSqliteStore } from './sqlite/open-sqlite-store.ts';
import type { OpenOptions, Store } from './store.ts';

const ENGINES: {
  readonly [E in StorageLocation['engine']]: (
    location: Extract<StorageLocation, { engine: E }>,
    options: OpenOptions,
  ) => Promise<Store>;
} = {
  sqlite: openSqliteStore,
  // Loaded where a URL names it: the driver takes memory.
  postgres: async (...given) => (await import('./postgres/open-postgres-store.ts')).openPostgresStore(...given),
};

/**
 * Creates the data where there is none, and brings it to the current schema.
 * @throws LockedError, SchemaError
 */
export const openStore = (location: StorageLocation, options: OpenOptions): Promise<Store> =>
  (ENGINES[location.engine] as (location: StorageLocation, options: OpenOptions) => Promise<Store>)(location, options);
