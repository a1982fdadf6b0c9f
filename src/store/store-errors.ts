/** Why a store does not open, whatever its engine. */

/** Another process holds the lock of the data directory; the message names it. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/** The data is of another schema than the code's; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** A file is no backup, or is damaged. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
