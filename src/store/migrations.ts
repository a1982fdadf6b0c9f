/** The migrations of the data, in the order of their numbers. */

import * as all from './migrations/all.ts';

export interface Migration {
  readonly name: string;
  /**
   * `additive`: an older version can still work with the data; new tables, and columns and indexes that it may ignore.
   * Left out, also in migrations before this was recorded: `breaking`.
   */
  readonly kind?: 'additive' | 'breaking';
  /** SQL, run whole in the one transaction that all pending migrations share. */
  readonly up: string;
}

export const migrations: readonly Migration[] = Object.entries<Omit<Migration, 'name'>>(all)
  .map(([name, migration]) => ({ name, ...migration }))
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));
