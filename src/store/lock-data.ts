/** Locks a data directory, for work on the files themselves. */

export { lockDataDirectory } from './sqlite/lock.ts';
