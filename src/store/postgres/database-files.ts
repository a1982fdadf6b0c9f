/** What DataFiles (store/data-files.ts) asks, of a database: its files are the server's. */

import pg from 'pg';
import { BackupError } from '../store-errors.ts';
import { readSchemaState } from './migrate.ts';

const HOW =
  "The data is in PostgreSQL. Back it up by pg_dump -Fc or your provider's means, and restore it by pg_restore into an empty database.";

const refuse = async (): Promise<never> => {
  throw new BackupError(HOW);
};

export const databaseFilesOf = (url: string) => {
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const schema = () => withClient(readSchemaState);
  return {
    size: () =>
      withClient(async (client) => {
        if ((await readSchemaState(client)).isNew) return null;
        const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size');
        return Number(rows[0]?.size);
      }),
    backUp: refuse,
    backUpAside: refuse,
    restore: refuse,
    unpack: refuse,
    // The server verifies its pages where it has checksums, and holds the references itself.
    verify: async () => ({ damage: [], danglingReferences: [], schema: await schema() }),
    verifyTextIndex: async () => ({ file: 'message_words', state: 'whole' as const, behind: 0 }),
    compact: refuse,
    schema,
  };
};
