/** Errors of the store, for any engine. */

/** Another process holds the lock of the data directory; the message names it. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/** The data has another schema than the code; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** The data takes no writes: the disk is full, fails or is read-only. Nothing of the unit of work is kept. */
export class UnwritableError extends Error {
  override readonly name = 'UnwritableError';
}

/** No thread could start for the work: the machine lacks memory or processes. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

/** A database server cannot be reached or used; the message says why. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
}

/** A file is no backup, or is damaged. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Data cannot be copied to another place; the message says why, and what is to be done. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
