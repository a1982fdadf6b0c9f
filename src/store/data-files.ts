/** Backup, restore and verification of the data that a storage URL names: the engine is chosen by its scheme. */

import type { StorageLocation } from '../config/config-values.ts';
import { writeBackupAside } from './sqlite/backup/backup-thread.ts';
import { unpackBackup, writeBackup } from './sqlite/backup-file.ts';
import { restoreDatabase } from './sqlite/restore-database.ts';
import { type FileVerdict, readSchema, verifyFile } from './sqlite/verify-file.ts';

export type { FileVerdict } from './sqlite/verify-file.ts';

export interface DataFiles {
  /** @returns the backup's octets @throws BackupError where `target` is there */
  backUp(target: string): Promise<number>;
  /** The same in a thread of its own, for a process that serves meanwhile. */
  backUpAside(target: string): Promise<number>;
  /**
   * Puts a backup in the place of the data, which nobody may have open. What was there is kept beside it.
   * @returns the file that was kept; null where there was none @throws BackupError
   */
  restore(backup: string, options: { replace: boolean; now: number }): Promise<string | null>;
  /** Unpacks a backup into a file of its own, where it is opened and verified. @throws BackupError */
  unpack(backup: string, target: string): Promise<void>;
  verify(): FileVerdict;
  /** How the data stands to the code's schema. */
  schema(): FileVerdict['schema'];
}

export const dataFilesOf = ({ file }: StorageLocation): DataFiles => ({
  backUp: (target) => writeBackup(file, target),
  backUpAside: (target) => writeBackupAside(file, target),
  restore: (backup, options) => restoreDatabase(file, backup, options),
  unpack: unpackBackup,
  verify: () => verifyFile(file),
  schema: () => readSchema(file),
});
