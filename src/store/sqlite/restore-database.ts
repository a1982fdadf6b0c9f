/** Replaces the data file by a backup, once it is whole and verified. */

import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncPath } from '../../kernel/files/sync.ts';
import { BackupError, SchemaError } from '../store-errors.ts';
import { type CarriedFile, takeCarriedFiles } from './backup/carried-files.ts';
import { endWhatHasEnded } from './backup/revocations.ts';
import { unpackBackup } from './backup-file.ts';
import { removeIndexFile } from './text-index/index-file.ts';
import { verifyFile } from './verify-file.ts';

/** The write-ahead log and its index belong to the data file beside them. */
const SIDE_FILES = ['-wal', '-shm'];

const requireSound = (file: string, backup: string): void => {
  const { damage, schema } = verifyFile(file);
  if (damage.length > 0) throw new BackupError(`${backup} is damaged: ${damage[0]}`);
  if (schema.isNew) throw new BackupError(`${backup} is no backup: its database is empty.`);
  if (schema.unknown.length > 0) {
    throw new SchemaError(
      `${backup} is of a newer version (it has ${schema.unknown.join(', ')}). Restore it with that.`,
    );
  }
};

/** More events than an instance publishes between a backup and its restore. */
const EVENTS_SINCE = 1_000_000_000;

/** Cursors of clients name events since the backup: those to come get higher numbers, so that no cursor is past them. */
const skipEventNumbers = (file: string): void => {
  const db = new Database(file);
  db.prepare("update sqlite_sequence set seq = seq + ? where name = 'events'").run(EVENTS_SINCE);
  db.close();
};

export interface Restored {
  /** The file with the former data; null: there was none. */
  kept: string | null;
  carried: CarriedFile[];
}

export const restoreDatabase = async (
  file: string,
  backup: string,
  { replace, now }: { replace: boolean; now: number },
): Promise<Restored> => {
  const isThere = existsSync(file);
  if (isThere && !replace)
    throw new BackupError(`${file} is there. --replace puts the backup in its place and keeps it.`);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unpacked = `${file}.restoring`;
  rmSync(unpacked, { force: true });
  try {
    await unpackBackup(backup, unpacked);
    const carried = takeCarriedFiles(unpacked);
    requireSound(unpacked, backup);
    endWhatHasEnded(file, unpacked, now);
    skipEventNumbers(unpacked);
    const kept = `${file}.replaced-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`;
    // It stands in its place as well until the last step: no start meanwhile finds none, and begins anew.
    if (isThere) linkSync(file, kept);
    for (const side of SIDE_FILES) if (existsSync(`${file}${side}`)) renameSync(`${file}${side}`, `${kept}${side}`);
    // The index of the former data; it is made again from the texts.
    removeIndexFile(file);
    renameSync(unpacked, file);
    syncPath(folder);
    return { kept: isThere ? kept : null, carried };
  } finally {
    for (const side of ['', ...SIDE_FILES]) rmSync(`${unpacked}${side}`, { force: true });
  }
};
