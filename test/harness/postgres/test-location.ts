/** Where a test's data is: a file, or with `POSTROOM_TEST_STORE=postgres` a database of a server of this process. */

import pg from 'pg';
import type { Test } from 'tap';
import type { Config } from '../../../src/config/config.ts';
import type { StorageLocation } from '../../../src/config/config-values.ts';
import { hasPgvector, type PostgresServer, startPostgres } from './postgres-server.ts';

export const isPostgres = process.env.POSTROOM_TEST_STORE === 'postgres';

let server: Promise<PostgresServer> | null = null;
const names = new Map<string, string>();

const administer = async (url: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};

/** @param file that the data is in, or that stands for a database */
export const testLocation = async (file: string): Promise<StorageLocation> => {
  if (!isPostgres) return { engine: 'sqlite', file };
  server ??= startPostgres();
  const { url } = await server;
  const known = names.get(file);
  const name = known ?? `test${names.size}`;
  if (known === undefined) {
    names.set(file, name);
    await administer(url, `create database ${name}`);
    if (hasPgvector) await administer(url.replace('/postgres?', `/${name}?`), 'create extension vector');
  }
  return { engine: 'postgres', url: url.replace('/postgres?', `/${name}?`) };
};

/** Makes a database of {@link testLocation} the same as another one, to which nothing is connected. */
export const copyDatabase = async (from: Config, to: Config): Promise<void> => {
  const nameOf = ({ storage }: Config) =>
    storage.url.engine === 'postgres' ? new URL(storage.url.url).pathname.slice(1) : '';
  const { url } = (await server) ?? {};
  if (url)
    await administer(url, `drop database ${nameOf(to)}`, `create database ${nameOf(to)} template ${nameOf(from)}`);
};

/** The table of a config for {@link testLocation}; '' where a file needs none. */
export const storageTable = async (directory: string): Promise<string> => {
  const location = await testLocation(directory);
  return location.engine === 'postgres' ? `[storage]\nurl = "${location.url}"\n` : '';
};

/** `t.test` for what works on SQLite's file itself. @param why it does, for the report of those that are left out */
export const ofSqlite =
  (t: Test, why: string) =>
  (name: string, work: (t: Test) => Promise<void>): unknown =>
    t.test(name, { skip: isPostgres && why }, work);

/** For tests of the SQLite engine. */
export const dataFileOf = ({ storage }: Config): string => {
  if (storage.url.engine !== 'sqlite') throw new Error('The data is in no file.');
  return storage.url.file;
};
