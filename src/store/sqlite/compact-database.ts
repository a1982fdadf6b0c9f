/** Gives the space of deleted rows back to the file system: whole, or in steps beside other work. */

import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Connection } from './open-database.ts';
import { compactTextIndex } from './text-index/index-upkeep.ts';

/** Pages of one step, 1.6 MiB of a file with pages of 8 KiB: other writers wait for as long as it takes. */
const PAGES_AT_ONCE = 200;
const INCREMENTAL = 2;

const numberOf = (connection: Connection, pragma: string): number =>
  Number(connection.pragma(pragma, { simple: true }));

/**
 * Releases some free pages, within the caller's transaction.
 * @returns bytes that are still free; null where the file must first be compacted whole
 */
export const releasePages = (connection: Connection): number | null => {
  if (numberOf(connection, 'auto_vacuum') !== INCREMENTAL) return null;
  connection.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`);
  return numberOf(connection, 'freelist_count') * numberOf(connection, 'page_size');
};

/**
 * Writes the file anew without its free pages, so that later steps can release them, and the full-text index without what was
 * removed. No other process has it open; needs about as much free space as the file has.
 * @returns octets before and after
 */
export const compactDatabase = (file: string): { before: number; after: number } => {
  const before = statSync(file).size;
  const connection = new Database(file, { fileMustExist: true });
  try {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.exec('vacuum');
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
  compactTextIndex(file);
  return { before, after: statSync(file).size };
};
