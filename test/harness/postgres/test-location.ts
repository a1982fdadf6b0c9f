/** Where a test's data is: a file, or with `POSTROOM_TEST_STORE=postgres` a database of a server of this process. */

import pg from 'pg';
import type { Config } from '../../../src/config/config.ts';
import type { StorageLocation } from '../../../src/config/config-values.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

export const isPostgres = process.env.POSTROOM_TEST_STORE === 'postgres';

let server: Promise<PostgresServer> | null = null;
const names = new Map<string, string>();

/** @param file that the data is in, or that stands for a database */
export const testLocation = async (file: string): Promise<StorageLocation> => {
  if (!isPostgres) return { engine: 'sqlite', file };
  server ??= startPostgres();
  const { url } = await server;
  const known = names.get(file);
  const name = known ?? `test${names.size}`;
  if (known === undefined) {
    names.set(file, name);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
  }
  return { engine: 'postgres', url: url.replace('/postgres?', `/${name}?`) };
};

/** The table of a config for {@link testLocation}; '' where a file needs none. */
export const storageTable = async (directory: string): Promise<string> => {
  const location = await testLocation(directory);
  return location.engine === 'postgres' ? `[storage]\nurl = "${location.url}"\n` : '';
};

/** For tests of the SQLite engine. */
export const dataFileOf = ({ storage }: Config): string => {
  if (storage.url.engine !== 'sqlite') throw new Error('The data is in no file.');
  return storage.url.file;
};
