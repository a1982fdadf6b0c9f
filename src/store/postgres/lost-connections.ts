/** Connections that end, as at a restart of the server: what was not committed runs again for some seconds. */

import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, messageOf } from '../../kernel/text/message-of.ts';
import { UnwritableError } from '../store-errors.ts';

/**
 * PostgreSQL's appendix A: connection exceptions, a session that is ended because its process was frozen within a
 * transaction, a server that ends, starts or has no connection free.
 */
const CODES = /^(?:08\w{3}|25P0[34]|57P0[1-5]|53300)$/;
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
/** The driver's own, without a code. */
const MESSAGES = /^(?:Connection terminated|Client (?:has encountered|was closed)|timeout expired)/;

/** The connection that locks the database for this daemon is being made again. */
export class UnlockedError extends Error {
  override readonly name = 'UnlockedError';
}

export const isLost = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code !== null) return CODES.test(code) || SYSTEM_CODES.has(code);
  return error instanceof UnlockedError || MESSAGES.test(messageOf(error));
};

/** lock_not_available, deadlock_detected: another process has not ended its transaction, as one that migrates. */
const LOCKED = new Set(['55P03', '40P01']);

/** Whether work that failed may succeed when it runs again. */
export const isPassing = (error: unknown): boolean => isLost(error) || LOCKED.has(codeOf(error) ?? '');

/** The reason as people read it: of a host with several addresses, that of each. */
export const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : String((error as Error).message);

/** A server that restarts is back within seconds; clients wait so long for an answer. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 100;

export const createPatience = () => {
  let end = 0;
  /** Waits before the work that failed runs again. @throws UnwritableError once it has failed for too long */
  return async (error: unknown): Promise<void> => {
    end ||= performance.now() + PATIENCE_MS;
    if (performance.now() > end) {
      throw new UnwritableError(`PostgreSQL does not answer: ${reasonOf(error)}`, { cause: error });
    }
    await pause(RETRY_MS);
  };
};

/** For work that may run twice, as reads. */
export const whileLost = async <T>(run: () => Promise<T>): Promise<T> => {
  const wait = createPatience();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await wait(error);
    }
  }
};
