/** Backup, restore and verification of the data that a storage URL names: the engine is chosen by its scheme. */

import { stat } from 'node:fs/promises';
import type { StorageLocation } from '../config/config-values.ts';
import { freeSpace } from '../kernel/files/free-space.ts';
import type { Box } from './postgres/boxes.ts';
import { databaseFilesOf } from './postgres/database-files.ts';
import type { ServerState } from './postgres/server-state.ts';
import { writeBackupAside } from './sqlite/backup/backup-thread.ts';
import type { CarriedFile } from './sqlite/backup/carried-files.ts';
import { unpackBackup, writeBackup } from './sqlite/backup-file.ts';
import { compactDatabase } from './sqlite/compact-database.ts';
import { type Restored, restoreDatabase } from './sqlite/restore-database.ts';
import { type TextIndexVerdict, verifyTextIndex } from './sqlite/text-index/index-upkeep.ts';
import { type FileVerdict, readSchema, verifyFile } from './sqlite/verify-file.ts';

export type { Box } from './postgres/boxes.ts';
export type { ServerState } from './postgres/server-state.ts';
export { type CarriedFile, takeCarriedFiles } from './sqlite/backup/carried-files.ts';
export { snapshotBeginning } from './sqlite/backup-file.ts';
export type { TextIndexVerdict } from './sqlite/text-index/index-upkeep.ts';
export type { FileVerdict } from './sqlite/verify-file.ts';

export interface DataFiles {
  /** Octets; null where there is no data yet. */
  size(): Promise<number | null>;
  /** Whether Postroom writes backups of it; a database server has its own. */
  readonly hasBackups: boolean;
  /** @returns the backup's octets @throws BackupError where `target` is there */
  backUp(target: string, carried?: Iterable<CarriedFile>): Promise<number>;
  /** The same in a thread of its own, for a process that serves meanwhile. */
  backUpAside(target: string): Promise<number>;
  /**
   * Puts a backup in the place of the data, which must not be open. The former data is kept beside it.
   * @throws BackupError
   */
  restore(backup: string, options: { replace: boolean; now: number }): Promise<Restored>;
  /** Unpacks a backup into a file of its own, where it is opened and verified. @throws BackupError */
  unpack(backup: string, target: string): Promise<void>;
  verify(): Promise<FileVerdict>;
  /** Verifies the text index of data in the code's schema. */
  verifyTextIndex(): Promise<TextIndexVerdict>;
  /** Gives the space of deleted rows back; no other process may have the data open. @returns octets before and after */
  compact(): Promise<{ before: number; after: number }>;
  /** Octets for more data, where `folder` is; Infinity where the disk is another machine's, which refuses in time. */
  freeBytes(folder: string): Promise<number>;
  /** What the doctor asks of a database server; null where there is none. */
  server(): Promise<ServerState | null>;
  /** The daemons of an installation of several machines, the first one first; null where the data is one machine's. */
  boxes(): Promise<Box[] | null>;
  /** Has the daemon that serves end, so that another one serves. Does nothing where the data is one machine's. */
  handOver(): Promise<void>;
  /** How the data stands to the code's schema. */
  schema(): Promise<FileVerdict['schema']>;
}

const sizeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );

const filesOf = (file: string): DataFiles => ({
  size: () => sizeOf(file),
  hasBackups: true,
  backUp: (target, carried) => writeBackup(file, target, carried),
  backUpAside: (target) => writeBackupAside(file, target),
  restore: (backup, options) => restoreDatabase(file, backup, options),
  unpack: unpackBackup,
  verify: async () => verifyFile(file),
  verifyTextIndex: async () => verifyTextIndex(file),
  compact: async () => compactDatabase(file),
  freeBytes: async (folder) => (await freeSpace(folder)).free,
  server: async () => null,
  boxes: async () => null,
  handOver: async () => {},
  schema: async () => readSchema(file),
});

export const dataFilesOf = (location: StorageLocation): DataFiles =>
  location.engine === 'sqlite' ? filesOf(location.file) : databaseFilesOf(location);
