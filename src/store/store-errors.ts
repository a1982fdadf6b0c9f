/** Why a store does not open, whatever its engine. */

/** Another process holds the lock of the data directory; the message names it. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/** A newer version wrote the data in a way that this code does not know. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
