/** Counts the TLS results of sessions by domain, day and policy, for TLS reports (RFC 8460). */

import { type Clock, DAY, HOUR, MINUTE } from '../../kernel/clock.ts';
import { startOfDay } from '../../kernel/utc-period.ts';
import type { TlsFailure } from '../../net/smtp/smtp-client.ts';
import type { Store } from '../../store/store.ts';
import { addTlsResult, type TlsResultCount } from '../../store/tls/tls-results.ts';

/** The policy that applied to a session, in the terms of RFC 8460 section 4.4. */
export interface ReportedPolicy {
  readonly type: 'sts' | 'tlsa' | 'no-policy-found';
  /** The recipient domain; for DANE the host that has the TLSA records. */
  readonly domain: string;
  /** The lines of the policy, or the TLSA records. */
  readonly strings: readonly string[];
  readonly mx: readonly string[];
}

/** The TLS result of one session. */
export interface TlsResult {
  readonly failure: TlsFailure | null;
  /** Null where no connection was made. */
  readonly sendingIp: string | null;
  readonly receivingIp: string | null;
}

export interface TlsResults {
  note(recipientDomain: string, policy: ReportedPolicy, mxHost: string, result: TlsResult): void;
  /** Writes the counts since the last flush. */
  flush(): Promise<void>;
}

export interface ResultNeeds {
  store: Store;
  clock: Clock;
  /** From 0 to 1. */
  randomFraction: () => number;
  onError: (error: unknown) => void;
}

/** Distinct counts in memory; when as many are reached they are flushed. */
const MAX_PENDING = 10_000;
const ROWS_PER_TRANSACTION = 500;
/** Characters of a failure's reason. */
const MAX_REASON = 200;
/** After the day's end and its last flush; then spread over 4 hours, as RFC 8460 section 4.1 suggests. */
const REPORT_AFTER_MS = 5 * MINUTE;
const REPORT_SPREAD_MS = 4 * HOUR;

export const createTlsResults = ({ store, clock, randomFraction, onError }: ResultNeeds): TlsResults => {
  let pending = new Map<string, TlsResultCount>();

  const count = (each: TlsResultCount): void => {
    const key = JSON.stringify({ ...each, reason: '', sessions: 0 });
    const before = pending.get(key);
    if (before) before.sessions += each.sessions;
    else pending.set(key, { ...each });
  };

  const write = (counts: readonly TlsResultCount[]): Promise<void> => {
    const spread = Math.round(REPORT_SPREAD_MS * randomFraction());
    return store.write(async (tx) => {
      for (const each of counts) await addTlsResult(tx, each, each.day + DAY + REPORT_AFTER_MS + spread);
    });
  };

  const flush = async (): Promise<void> => {
    const counts = [...pending.values()];
    pending = new Map();
    for (let at = 0; at < counts.length; at += ROWS_PER_TRANSACTION) {
      const some = counts.slice(at, at + ROWS_PER_TRANSACTION);
      try {
        await write(some);
      } catch (error) {
        onError(error);
        // Kept for the next flush, up to MAX_PENDING.
        for (const each of some) if (pending.size < MAX_PENDING) count(each);
      }
    }
  };

  return {
    note: (domain, policy, mxHost, { failure, sendingIp, receivingIp }) => {
      const now = clock.now();
      const where = failure
        ? { mxHost, sendingIp: sendingIp ?? '', receivingIp: receivingIp ?? '' }
        : { mxHost: '', sendingIp: '', receivingIp: '' };
      count({
        domain,
        day: startOfDay(now),
        policy: JSON.stringify(policy),
        failure: failure?.type ?? '',
        ...where,
        reason: failure?.reason.slice(0, MAX_REASON) ?? '',
        sessions: 1,
      });
      if (pending.size >= MAX_PENDING) flush().catch(onError);
    },
    flush,
  };
};
