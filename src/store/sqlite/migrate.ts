/** Brings the data file to the code's schema: all pending migrations in one transaction, after a copy of the file. */

import { statSync } from 'node:fs';
import type { Millis } from '../../kernel/clock.ts';
import { migrations as all, type Migration } from '../migrations/index.ts';
import { SchemaError } from '../store-errors.ts';
import type { Connection } from './open-database.ts';
import { keepPrivate } from './private-file.ts';

const appliedNames = (connection: Connection): string[] => {
  connection.exec('create table if not exists migrations (name text primary key, applied_at integer not null) strict');
  return connection.prepare('select name from migrations order by name').pluck().all() as string[];
};

/** Copies the file beside itself, once per step. `VACUUM INTO` takes one moment of it, also while others read. */
const backUp = (connection: Connection, lastApplied: string): void => {
  const copy = `${connection.name}.before-${lastApplied}`;
  if ((statSync(copy, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  // It writes to an empty file as to none, and leaves that its mode.
  keepPrivate(copy);
  connection.prepare('vacuum into ?').run(copy);
};

/**
 * @returns the names of the migrations that were applied now
 * @throws SchemaError where the file was written by a newer version, whose tables this code does not know
 */
export const migrate = (
  connection: Connection,
  now: Millis,
  migrations: readonly Migration[] = all,
): readonly string[] => {
  const applied = appliedNames(connection);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new SchemaError(`The data file was written by a newer version (it has ${unknown.join(', ')}).`);
  }
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  const lastApplied = applied.at(-1);
  if (pending.length > 0 && lastApplied !== undefined) backUp(connection, lastApplied);
  const record = connection.prepare('insert into migrations (name, applied_at) values (?, ?)');
  connection.transaction(() => {
    for (const { name, up } of pending) {
      connection.exec(up);
      record.run(name, now);
    }
  })();
  return pending.map(({ name }) => name);
};
