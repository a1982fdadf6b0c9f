/** A PostgreSQL server for one test, with the tables of all migrations, and a client of it. */

import pg from 'pg';
import type { Test } from 'tap';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { startPostgres } from './postgres-server.ts';

export const openTranslatedDatabase = async (t: Pick<Test, 'teardown'>): Promise<pg.Client> => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  t.teardown(async () => {
    await client.end();
    await server[Symbol.asyncDispose]();
  });
  await client.connect();
  await migrate(client, 0);
  return client;
};
