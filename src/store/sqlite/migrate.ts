/** Brings the data file to the code's schema: all pending migrations in one transaction, after a copy of the file. */

import { existsSync, globSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Millis } from '../../kernel/clock.ts';
import {
  type Applied,
  refuseBreaking,
  refuseOther,
  type SchemaState,
  toSchemaState,
} from '../migrations/schema-state.ts';
import { migrations as all, type Migration } from '../migrations.ts';
import type { Connection } from './open-database.ts';
import { keepPrivate } from './private-file.ts';

const DATA = 'The data file';

/** The applied migrations, read without a change; null in a file without tables. */
const readApplied = (connection: Connection): Applied[] | null => {
  const columns = connection.pragma('table_info(migrations)') as { name: string }[];
  if (columns.length === 0) {
    const tables = connection.prepare<[], { count: number }>('select count(*) as count from sqlite_schema').get();
    return tables?.count === 0 ? null : [];
  }
  const additive = columns.some(({ name }) => name === 'additive') ? 'additive' : '0 as additive';
  return connection.prepare<[], Applied>(`select name, ${additive} from migrations order by name`).all();
};

const listApplied = (connection: Connection): Applied[] => {
  connection.exec('create table if not exists migrations (name text primary key, applied_at integer not null) strict');
  const columns = connection.pragma('table_info(migrations)') as { name: string }[];
  if (!columns.some(({ name }) => name === 'additive')) {
    connection.exec('alter table migrations add column additive integer not null default 0');
  }
  return readApplied(connection) ?? [];
};

/** How the file stands to the code's schema; changes nothing. */
export const readSchemaState = (connection: Connection, migrations: readonly Migration[] = all): SchemaState =>
  toSchemaState(readApplied(connection), migrations);

/**
 * @returns whether the file is new, and so to be migrated
 * @throws SchemaError for a file of an older or a newer version, which is not changed
 */
export const requireSchema = (connection: Connection): boolean => {
  const state = readSchemaState(connection);
  refuseOther(DATA, state);
  return state.isNew;
};

/**
 * Copies the file beside itself, once for a step; the copy of an earlier step goes. `VACUUM INTO` writes a consistent
 * snapshot, also while other connections read.
 */
const backUp = (connection: Connection, next: string): void => {
  const copy = `${connection.name}.before-${next}`;
  if (existsSync(copy)) return;
  // Of a copy that was cut short.
  const partial = `${connection.name}.copying`;
  rmSync(partial, { force: true });
  // VACUUM INTO accepts an empty file, and keeps its mode.
  keepPrivate(partial);
  connection.prepare('vacuum into ?').run(partial);
  for (const earlier of globSync(`${basename(connection.name)}.before-[0-9]*`, { cwd: dirname(copy) })) {
    rmSync(join(dirname(copy), earlier));
  }
  renameSync(partial, copy);
};

/**
 * @returns the names of the migrations that were applied now
 * @throws SchemaError where a newer version made a breaking change that this code does not know
 */
export const migrate = (
  connection: Connection,
  now: Millis,
  migrations: readonly Migration[] = all,
): readonly string[] => {
  const applied = listApplied(connection);
  const state = toSchemaState(applied, migrations);
  refuseBreaking(DATA, state);
  const pending = migrations.filter(({ name }) => state.pending.includes(name));
  const [next] = pending;
  if (next && applied.length > 0) backUp(connection, next.name);
  const record = connection.prepare('insert into migrations (name, applied_at, additive) values (?, ?, ?)');
  connection.transaction(() => {
    for (const { name, up, kind } of pending) {
      connection.exec(up);
      record.run(name, now, kind === 'additive' ? 1 : 0);
    }
  })();
  return pending.map(({ name }) => name);
};
