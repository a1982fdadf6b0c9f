/** Decides which certificates are ordered, and when: those that are missing, or past two thirds of their validity. */

import { type Clock, DAY, HOUR, isAhead, isoTime, MINUTE, type Millis } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { messageOf } from '../../../kernel/text/message-of.ts';
import type { AcmeClient } from './acme-client.ts';
import { AuthorityUnreachable } from './authority-unreachable.ts';
import type { ChallengeType } from './challenge.ts';
import type { IssuedCertificate, IssuedCertificates } from './issued-certificates.ts';

/** The names of one certificate; the first names the listeners' file. */
export type CertificateNames = readonly [string, ...string[]];

const RENEWED_AT = 2 / 3;
/** Back-off after each way to prove the names has failed once. Authorities count failures by the hour. */
const FIRST_BACK_OFF_MS = HOUR;
const MAX_BACK_OFF_MS = DAY;
/** Pause after an authority gave no answer: nothing was counted there. */
const UNREACHABLE_MS = 5 * MINUTE;
/** Pause before the next way to prove the names. */
const NEXT_WAY_MS = MINUTE;
/**
 * Pause where a new certificate is due already: one of the two clocks is far off, and authorities count by the week.
 */
const DUE_AGAIN_MS = DAY;
/** Authorities limit certificates per registered domain and week, and any outsider can make workspaces. */
const MAX_NEW_A_DAY = 5;

export interface RenewalNeeds {
  certificates: Pick<IssuedCertificates, 'find' | 'put'>;
  client: () => Promise<AcmeClient>;
  /** The listeners' own first. */
  wanted: () => Promise<readonly CertificateNames[]>;
  /** The ways by which names can be proven, the likeliest first; at least one. */
  waysFor: (names: CertificateNames) => readonly ChallengeType[];
  clock: Clock;
  log: Log;
}

/** The result for one certificate in a run. */
export interface OrderOutcome {
  names: CertificateNames;
  /** `current`: not due; `waiting`: to be ordered later. */
  state: 'issued' | 'failed' | 'current' | 'waiting';
  /** Null where there is no certificate. */
  validTo: Millis | null;
  /** The reason of the latest failure; null where it was issued. */
  reason: string | null;
  nextAttemptAt: Millis | null;
}

/**
 * A request of the operator. `due`: orders at once despite earlier failures, by each way in turn. `all`: also orders
 * what is not due.
 */
export type Asked = 'due' | 'all';

export const isDue = (certificate: IssuedCertificate | null, names: CertificateNames, now: Millis): boolean => {
  if (!certificate || names.some((name) => !certificate.names.includes(name))) return true;
  const { validFrom, validTo } = certificate;
  return now >= validFrom + (validTo - validFrom) * RENEWED_AT;
};

const backOff = (failures: number, ways: number): Millis =>
  failures < ways ? NEXT_WAY_MS : Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(failures - ways, 10), MAX_BACK_OFF_MS);

export const createRenewal = ({ certificates, client, wanted, waysFor, clock, log }: RenewalNeeds) => {
  const waiting = new Map<string, { failures: number; nextAt: Millis; reason: string }>();
  /** When new ones were issued. */
  let newOnes: Millis[] = [];
  /** Failed orders of the current run: each takes a slot of the run, not of the day. */
  let failedNew = 0;

  const isAllowed = (isFirst: boolean, isNew: boolean): boolean => {
    if (isFirst || !isNew) return true;
    newOnes = newOnes.filter((at) => at > clock.now() - DAY);
    return newOnes.length + failedNew < MAX_NEW_A_DAY;
  };

  /** @returns whether a certificate was issued */
  const order = async (names: CertificateNames, failures: number): Promise<boolean> => {
    const ways = waysFor(names);
    const way = ways[failures % ways.length] ?? 'http-01';
    try {
      certificates.put(names[0], await (await client()).obtain(names, way));
      waiting.delete(names[0]);
      const issued = certificates.find(names[0]);
      log.info({ names, way, valid_to: isoTime(issued?.validTo ?? 0) }, 'certificate issued');
      if (isDue(issued, names, clock.now())) {
        const nextAt = clock.now() + DUE_AGAIN_MS;
        waiting.set(names[0], { failures, nextAt, reason: 'it is due again as it is issued: is the clock right?' });
        const fields = { names, now: isoTime(clock.now()), next_attempt_at: isoTime(nextAt) };
        log.warn(fields, 'the certificate is due again as it is issued: is the clock right?');
      }
      return true;
    } catch (error) {
      const counted = failures + (error instanceof AuthorityUnreachable ? 0 : 1);
      const nextAt = clock.now() + (counted === failures ? UNREACHABLE_MS : backOff(counted, ways.length));
      const reason = messageOf(error);
      waiting.set(names[0], { failures: counted, nextAt, reason });
      log.warn({ names, way, reason, next_attempt_at: isoTime(nextAt) }, 'no certificate was issued');
      return false;
    }
  };

  /** By each way until one succeeds. */
  const orderByEachWay = async (names: CertificateNames): Promise<boolean> => {
    for (const [at] of waysFor(names).entries()) if (await order(names, at)) return true;
    return false;
  };

  const renew = async (names: CertificateNames, isFirst: boolean, asked?: Asked): Promise<OrderOutcome['state']> => {
    const now = clock.now();
    const known = certificates.find(names[0]);
    const { failures = 0, nextAt = 0 } = waiting.get(names[0]) ?? {};
    if (asked !== 'all' && !isDue(known, names, now)) return 'current';
    if ((asked === undefined && isAhead(nextAt, now, MAX_BACK_OFF_MS)) || !isAllowed(isFirst, known === null))
      return 'waiting';
    const isIssued = asked === undefined ? await order(names, failures) : await orderByEachWay(names);
    if (known === null && !isFirst) {
      if (isIssued) newOnes.push(now);
      else failedNew += 1;
    }
    return isIssued ? 'issued' : 'failed';
  };

  /** Orders what is due, one after the other; failures are logged and tried again later. */
  return async (asked?: Asked): Promise<OrderOutcome[]> => {
    failedNew = 0;
    const outcomes: OrderOutcome[] = [];
    for (const [at, names] of (await wanted()).entries()) {
      const state = await renew(names, at === 0, asked);
      const { reason = null, nextAt = null } = waiting.get(names[0]) ?? {};
      const validTo = certificates.find(names[0])?.validTo ?? null;
      outcomes.push({ names, state, validTo, reason, nextAttemptAt: nextAt });
    }
    return outcomes;
  };
};
