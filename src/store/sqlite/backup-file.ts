/**
 * A backup of the data file: the database as one moment has it, compressed with zstd and its checksum. `zstd -d` makes a
 * SQLite database of it.
 */

import { createReadStream, createWriteStream, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import Database from 'better-sqlite3';
import { syncPath } from '../../kernel/files/sync.ts';
import { BackupError } from '../store-errors.ts';
import { keepPrivate } from './private-file.ts';

const OWNER_ALONE = 0o600;
/** The first octets of every SQLite database. */
const SQLITE_MAGIC = 'SQLite format 3\0';

/**
 * Writes a backup while others read and write.
 * @returns its octets
 * @throws BackupError where the file is there already
 */
export const writeBackup = async (source: string, target: string): Promise<number> => {
  if (existsSync(target)) throw new BackupError(`${target} is there already. Nothing was written.`);
  const snapshot = `${target}.snapshot`;
  const partial = `${target}.partial`;
  try {
    for (const path of [snapshot, partial]) rmSync(path, { force: true });
    keepPrivate(snapshot);
    const connection = new Database(source, { readonly: true, fileMustExist: true });
    try {
      // One read transaction: the daemon's writes go on beside it (WAL).
      connection.prepare('vacuum into ?').run(snapshot);
    } finally {
      connection.close();
    }
    await pipeline(
      createReadStream(snapshot),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      createWriteStream(partial, { flags: 'wx', mode: OWNER_ALONE }),
    );
    syncPath(partial);
    // A link, unlike a rename, replaces nothing.
    linkSync(partial, target);
    syncPath(dirname(target));
    return statSync(target).size;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw new BackupError(`${target} is there already. Nothing was written.`, { cause });
    }
    throw cause;
  } finally {
    for (const path of [snapshot, partial]) rmSync(path, { force: true });
  }
};

/**
 * Unpacks a backup into a new file.
 * @throws BackupError where it is no backup, or damaged
 */
export const unpackBackup = async (backup: string, target: string): Promise<void> => {
  try {
    await pipeline(
      createReadStream(backup),
      createZstdDecompress(),
      createWriteStream(target, { flags: 'wx', mode: OWNER_ALONE }),
    );
  } catch (cause) {
    rmSync(target, { force: true });
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code.startsWith('ZSTD_')) throw new BackupError(`${backup} is no backup, or is damaged (${code}).`, { cause });
    throw cause;
  }
  const start = createReadStream(target, { end: SQLITE_MAGIC.length - 1 });
  const chunks: Buffer[] = [];
  for await (const chunk of start) chunks.push(chunk as Buffer);
  if (Buffer.concat(chunks).toString('latin1') !== SQLITE_MAGIC) {
    rmSync(target);
    throw new BackupError(`${backup} is no backup: it holds no database.`);
  }
  syncPath(target);
};
