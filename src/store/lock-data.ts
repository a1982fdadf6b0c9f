/** The lock of a data directory, for what works on the files themselves. */

export { lockDataDirectory } from './sqlite/lock.ts';
