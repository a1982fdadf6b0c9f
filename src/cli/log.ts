/** The daemon's log: a JSON line for each entry on stdout, formatted for reading on a terminal. */

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** The priorities of sd-daemon(3) for pino's levels, which are 10 (trace) to 60 (fatal). */
const PRIORITIES = [7, 7, 6, 4, 3, 2];

/** Prefixes each line with its priority, which journald removes. */
const journalStream = (): DestinationStream => {
  const stdout = pino.destination({ fd: 1, sync: true });
  return {
    // Makes pino store each line's level in `lastLevel`.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(line: string) {
      stdout.write(`<${PRIORITIES[this.lastLevel / 10 - 1] ?? 6}>${line}`);
    },
  } as DestinationStream & { lastLevel: number };
};

/**
 * @param json JSON lines on a terminal too
 * @param isJournal whether journald reads stdout
 */
export const createLog = async (json: boolean, isJournal = false): Promise<Logger> => {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  if (isJournal) return pino(options, journalStream());
  // Synchronous: the last lines before an end are not lost, and an end does not wait for a reader that is gone.
  if (json || !process.stdout.isTTY) return pino(options, pino.destination({ fd: 1, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }));
};
