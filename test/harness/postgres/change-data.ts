/** Changes data beside the daemon, as nothing of the product does. */

import Database from 'better-sqlite3';
import pg from 'pg';
import type { Config } from '../../../src/config/config.ts';

/** @param statements in each engine's SQL; one text where both read it */
export const changeData = async (
  { storage }: Config,
  statements: string | { sqlite: string; postgres: string },
): Promise<void> => {
  const both = typeof statements === 'string' ? { sqlite: statements, postgres: statements } : statements;
  if (storage.url.engine === 'sqlite') {
    const data = new Database(storage.url.file);
    data.exec(both.sqlite);
    data.close();
    return;
  }
  const client = new pg.Client({ connectionString: storage.url.url });
  await client.connect();
  await client.query(both.postgres);
  await client.end();
};
