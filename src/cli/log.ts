/** The daemon's log: a JSON line for each entry on stdout, laid out for eyes where stdout is a terminal. */

import { type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

/** @param json JSON lines on a terminal too */
export const createLog = (json: boolean): Logger => {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  // Synchronous, so that the last lines before an end are not lost.
  if (json || !process.stdout.isTTY) return pino(options);
  return pino(options, pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }));
};
