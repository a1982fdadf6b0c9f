/**
 * A backup of the data file: a consistent snapshot, compressed with zstd and its checksum. `zstd -d` makes a SQLite
 * database of it.
 */

import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { threadId } from 'node:worker_threads';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import Database from 'better-sqlite3';
import { asCaller } from '../../kernel/files/caller-rights.ts';
import { syncPath } from '../../kernel/files/sync.ts';
import { codeOf } from '../../kernel/text/message-of.ts';
import { BackupError } from '../store-errors.ts';
import { addCarriedFiles, type CarriedFile } from './backup/carried-files.ts';
import { keepPrivate } from './private-file.ts';

const OWNER_ALONE = 0o600;
/** The first octets of every SQLite database. */
const SQLITE_MAGIC = 'SQLite format 3\0';

/** The system's refusal of a file that the caller named, with the folder and the user. */
const toFileError = (path: string, cause: unknown): unknown => {
  const code = codeOf(cause);
  const folder = dirname(path);
  const user = userInfo().username;
  if (code === 'EEXIST') return new BackupError(`${path} is there already. Nothing was written.`, { cause });
  if (code === 'ENOENT') return new BackupError(`There is no folder ${folder}. Make it, or name another.`, { cause });
  if (code === 'EACCES' || code === 'EPERM') {
    return new BackupError(`The user ${user} may not use ${path}: give it rights to ${folder}, or run as root.`, {
      cause,
    });
  }
  if (code === 'ENOSPC')
    return new BackupError(`The disk of ${folder} is full. Free some room, or name another.`, { cause });
  return cause;
};

/** SQLite writes the snapshot alone. */
const toSnapshotError = (source: string, cause: unknown): unknown => {
  if (!/^SQLITE_(?:FULL|IOERR_WRITE)/.test(codeOf(cause) ?? '')) return cause;
  return new BackupError(
    `The disk of the data takes no more. A backup needs room in ${dirname(source)} for a copy of it while it is written, whichever disk it goes to. Free some.`,
    { cause },
  );
};

/** Opens with the rights of the caller. `named`: the final name of a new file; null: the file is read. */
const openNamed = (path: string, named: string | null): number => {
  try {
    return asCaller(() => {
      if (named === null) return openSync(path, 'r');
      // Removes the rest of a killed backup.
      rmSync(path, { force: true });
      return openSync(path, 'wx', OWNER_ALONE);
    });
  } catch (error) {
    throw toFileError(named ?? path, error);
  }
};

const SNAPSHOT = '.snapshot-';

/** The beginning of names beside the data for copies that go with their process. */
export const snapshotBeginning = (source: string): string => `${source}${SNAPSHOT}${process.pid}-`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

/** Removes what killed backups, and checks of backups, have left. */
const removeLeftSnapshots = (source: string): void => {
  const beginning = `${basename(source)}${SNAPSHOT}`;
  for (const name of readdirSync(dirname(source))) {
    if (!name.startsWith(beginning) || isAlive(Number.parseInt(name.slice(beginning.length), 10))) continue;
    rmSync(join(dirname(source), name), { force: true, recursive: true });
  }
};

/**
 * Writes a backup while others read and write.
 * @returns its octets
 * @throws BackupError where the file is there already, or its folder is not for the caller
 */
export const writeBackup = async (
  source: string,
  target: string,
  carried: Iterable<CarriedFile> = [],
): Promise<number> => {
  if (asCaller(() => existsSync(target))) throw new BackupError(`${target} is there already. Nothing was written.`);
  removeLeftSnapshots(source);
  // Beside the data, where the user of the data may write.
  const snapshot = `${snapshotBeginning(source)}${threadId}`;
  const partial = `${target}.partial`;
  const file = openNamed(partial, target);
  try {
    rmSync(snapshot, { force: true });
    keepPrivate(snapshot);
    const connection = new Database(source, { readonly: true, fileMustExist: true });
    try {
      // One read transaction: the daemon's writes go on beside it (WAL).
      connection.prepare('vacuum into ?').run(snapshot);
    } finally {
      connection.close();
    }
    addCarriedFiles(snapshot, carried);
    await pipeline(
      createReadStream(snapshot),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      createWriteStream(partial, { fd: file, flush: true }),
    );
    return asCaller(() => {
      // A link, unlike a rename, replaces nothing.
      linkSync(partial, target);
      syncPath(dirname(target));
      return statSync(target).size;
    });
  } catch (cause) {
    throw toFileError(target, toSnapshotError(source, cause));
  } finally {
    rmSync(snapshot, { force: true });
    asCaller(() => rmSync(partial, { force: true }));
  }
};

/**
 * Unpacks a backup into a new file.
 * @throws BackupError where it is no backup, or damaged
 */
export const unpackBackup = async (backup: string, target: string): Promise<void> => {
  try {
    await pipeline(
      createReadStream(backup, { fd: openNamed(backup, null) }),
      createZstdDecompress(),
      createWriteStream(target, { flags: 'wx', mode: OWNER_ALONE }),
    );
  } catch (cause) {
    rmSync(target, { force: true });
    const code = codeOf(cause);
    // `Z_BUF_ERROR`: it ends too early.
    if (code?.startsWith('ZSTD_') || code === 'Z_BUF_ERROR') {
      throw new BackupError(`${backup} is no backup, or is damaged (${code}).`, { cause });
    }
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
