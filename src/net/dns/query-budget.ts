/** Bounds the DNS queries of one task with untrusted names: their number, their concurrency and their time. */

import type { Clock, Millis } from '../../kernel/clock.ts';
import { type DnsReply, type Question, queryDns } from './dns-query.ts';

export type AskServer = (server: string, question: Question) => Promise<DnsReply>;

export interface QueryBudget {
  /** Milliseconds for all queries together, from the creation on. */
  readonly totalMs: Millis;
  readonly maxQueries: number;
  /** Queries in flight at once; the others wait. */
  readonly parallel: number;
}

/** A server that does not answer by then is counted as silent. */
const QUERY_MS: Millis = 2_000;

const exhausted = (reason: string): DnsReply => ({ kind: 'failed', reason });

/** Creates a function that sends queries within the budget; beyond it each fails without a query. */
export const createBudgetedQueries = (
  { totalMs, maxQueries, parallel }: QueryBudget,
  clock: Pick<Clock, 'now'> = performance,
): AskServer => {
  const endsAt = clock.now() + totalMs;
  const waiting: (() => void)[] = [];
  let sent = 0;
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running >= parallel) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  /** Hands its slot to the next one that waits. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (server, question) => {
    await enter();
    try {
      const left = endsAt - clock.now();
      if (left <= 0) return exhausted('the time for this check is over');
      if (sent >= maxQueries) return exhausted('too many queries for one check');
      sent += 1;
      return await queryDns(server, question, Math.min(left, QUERY_MS));
    } finally {
      leave();
    }
  };
};
