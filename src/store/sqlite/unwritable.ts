import Database from 'better-sqlite3';
import { UnwritableError } from '../store-errors.ts';

const UNWRITABLE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

/** Converts SQLite's error of a full disk to the store's own. A read may meet it too: it grows the index of the log. */
export const toStoreError = (error: unknown): unknown =>
  error instanceof Database.SqliteError && UNWRITABLE.test(error.code)
    ? new UnwritableError(error.message, { cause: error })
    : error;
