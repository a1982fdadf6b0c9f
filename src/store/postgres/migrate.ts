/** Brings the database to the code's schema; all pending migrations are one transaction. */

import type pg from 'pg';
import type { Millis } from '../../kernel/clock.ts';
import {
  type Applied,
  refuseBreaking,
  refuseOther,
  type SchemaState,
  toSchemaState,
} from '../migrations/schema-state.ts';
import { migrations } from '../migrations.ts';
import { ServerError } from '../store-errors.ts';
import {
  COMMITS,
  FORGET_REQUESTS,
  LACKS_VECTORS,
  OWN_MIGRATIONS,
  OWN_SCHEMA,
  OWN_TRIGGERS,
  VECTORS,
} from './own-schema.ts';
import { translateMigration } from './translate-migration.ts';

/** Of the lock under which one process migrates. */
const MIGRATION_LOCK = 3_571;
const all = [...migrations, ...OWN_MIGRATIONS];
/** As people call it. */
export const DATA = 'The database';

/** Null in a database without tables. */
const readApplied = async (client: pg.ClientBase): Promise<Applied[] | null> => {
  const { rows } = await client.query<{ found: string | null }>(`select to_regclass('migrations') as found`);
  if (rows[0]?.found === null) return null;
  return (await client.query<Applied>('select name, additive from migrations order by name')).rows;
};

export const readSchemaState = async (client: pg.ClientBase): Promise<SchemaState> =>
  toSchemaState(await readApplied(client), all);

/** @throws ServerError where the tables of another program would be among those of the data */
const requireEmpty = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema() limit 1',
  );
  if (rows[0]) {
    throw new ServerError(`The database has tables of something else, such as ${rows[0].name}. Give it an empty one.`);
  }
};

const applyPending = async (client: pg.ClientBase, now: Millis): Promise<void> => {
  const state = await readSchemaState(client);
  refuseBreaking(DATA, state);
  const { isNew, pending } = state;
  if (isNew) {
    await requireEmpty(client);
    await client.query(
      'create table migrations (name text collate "C" primary key, applied_at bigint not null, additive bigint not null)',
    );
    await client.query(OWN_SCHEMA);
  }
  await client.query(COMMITS);
  for (const { name, up, kind } of all.filter((each) => pending.includes(each.name))) {
    const statements = translateMigration(up, isNew);
    if (statements.length > 0) await client.query(statements.join(';\n'));
    const row = [name, now, kind === 'additive' ? 1 : 0];
    await client.query('insert into migrations (name, applied_at, additive) values ($1, $2, $3)', row);
  }
  if (isNew) await client.query(OWN_TRIGGERS);
  await client.query(FORGET_REQUESTS);
  if ((await client.query(LACKS_VECTORS)).rows.length > 0) await client.query(VECTORS);
};

/**
 * @param alongside more that the transaction does
 * @throws SchemaError where a newer version made a breaking change that this code does not know; ServerError
 */
export const migrate = async (
  client: pg.ClientBase,
  now: Millis,
  alongside: () => Promise<void> = async () => {},
): Promise<void> => {
  // A migration of much data takes longer than a statement of the daemon may.
  await client.query('begin; set local statement_timeout = 0');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await applyPending(client, now);
    await alongside();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

/**
 * @returns whether the database is new, and so to be migrated
 * @throws SchemaError for one of an older or a newer version, which is not changed
 */
export const requireSchema = async (client: pg.ClientBase): Promise<boolean> => {
  const state = await readSchemaState(client);
  refuseOther(DATA, state);
  return state.isNew;
};
