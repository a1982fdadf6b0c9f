/** What DataFiles (store/data-files.ts) asks, of a database: its files are the server's. */

import type pg from 'pg';
import { formatStorage, type StorageLocation } from '../../config/config-values.ts';
import { BackupError, ServerError } from '../store-errors.ts';
import { HAND_OVER, listBoxes } from './boxes.ts';
import { readSchemaState } from './migrate.ts';
import { readServerState, toServerError } from './server-state.ts';

const BACKUPS =
  "The data is in PostgreSQL: back it up by `pg_dump -Fc` or your provider's means, and restore it by `pg_restore` into an empty database. Keep a copy of the vault's key file elsewhere: without it no secret and no DKIM key opens.";
const SPACE = 'PostgreSQL uses the space of deleted rows again by itself. `VACUUM FULL` gives it back to the disk.';

const COUNT_BEHIND = `select count(*) as behind from message_texts
  where seq > (select coalesce(max(seq), 0) from message_words)`;

const refuseBackup = async (): Promise<never> => {
  throw new BackupError(BACKUPS);
};

export const databaseFilesOf = (location: Extract<StorageLocation, { engine: 'postgres' }>) => {
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    // Loaded on use: the driver takes memory.
    const client = (await import('./connections.ts')).createClient(location.url);
    try {
      await client.connect();
      return await work(client);
    } catch (error) {
      throw toServerError(error, formatStorage(location));
    } finally {
      await client.end();
    }
  };
  const schema = () => withClient(readSchemaState);
  return {
    size: () =>
      withClient(async (client) => {
        if ((await readSchemaState(client)).isNew) return null;
        const { rows } = await client.query<{ size: number }>('select pg_database_size(current_database()) as size');
        return rows[0]?.size ?? null;
      }),
    hasBackups: false,
    backUp: refuseBackup,
    backUpAside: refuseBackup,
    restore: refuseBackup,
    unpack: refuseBackup,
    // The server verifies its pages where it has checksums, and holds the references itself.
    verify: async () => ({ damage: [], danglingReferences: [], schema: await schema() }),
    verifyTextIndex: () =>
      withClient(async (client) => {
        const { rows } = await client.query<{ behind: number }>(COUNT_BEHIND);
        return { file: 'message_words', state: 'whole' as const, behind: rows[0]?.behind ?? 0 };
      }),
    compact: async () => {
      throw new ServerError(SPACE);
    },
    freeBytes: async () => Number.POSITIVE_INFINITY,
    server: () => withClient((client) => readServerState(client, location.url)),
    boxes: () => withClient(listBoxes),
    handOver: () => withClient(async (client) => void (await client.query(`notify ${HAND_OVER}`))),
    schema,
  };
};
