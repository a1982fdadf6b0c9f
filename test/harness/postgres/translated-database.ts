/** A PostgreSQL server for one test, with the tables of all migrations, and a client of it. */

import pg from 'pg';
import type { Test } from 'tap';
import { startPostgres } from './postgres-server.ts';
import { translateMigrations } from './translated-schema.ts';

export const openTranslatedDatabase = async (t: Pick<Test, 'teardown'>): Promise<pg.Client> => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  t.teardown(async () => {
    await client.end();
    await server[Symbol.asyncDispose]();
  });
  await client.connect();
  for (const statement of translateMigrations()) await client.query(statement);
  return client;
};
