/** Which certificates are ordered, and when: what is missing, and what is past two thirds of its time. */

import { type Clock, DAY, HOUR, isoTime, MINUTE, type Millis } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { AcmeClient } from './acme-client.ts';
import type { ChallengeType } from './challenge.ts';
import type { IssuedCertificate, IssuedCertificates } from './issued-certificates.ts';

/** Of one certificate, the listeners' file is named after the first. */
export type CertificateNames = readonly [string, ...string[]];

const RENEWED_AT = 2 / 3;
/** After each way to prove the names has failed once. Authorities count failures by the hour. */
const FIRST_BACK_OFF_MS = HOUR;
const MAX_BACK_OFF_MS = DAY;
/** Until the next way is tried. */
const NEXT_WAY_MS = MINUTE;
/** Where what was issued is due already: the clock here, or the authority's, is far off, and authorities count by the week. */
const DUE_AGAIN_MS = DAY;
/** Authorities limit what is issued under a registered domain in a week; workspaces are anybody's to make. */
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

export interface Renewal {
  /** Orders what is due, one after the other; failures are logged and tried again later. */
  run(): Promise<void>;
}

export const isDue = (certificate: IssuedCertificate | null, names: CertificateNames, now: Millis): boolean => {
  if (!certificate || names.some((name) => !certificate.names.includes(name))) return true;
  const { validFrom, validTo } = certificate;
  return now >= validFrom + (validTo - validFrom) * RENEWED_AT;
};

const backOff = (failures: number, ways: number): Millis =>
  failures < ways ? NEXT_WAY_MS : Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(failures - ways, 10), MAX_BACK_OFF_MS);

export const createRenewal = ({ certificates, client, wanted, waysFor, clock, log }: RenewalNeeds): Renewal => {
  const waiting = new Map<string, { failures: number; nextAt: Millis }>();
  let newOnes: Millis[] = [];

  const isAllowed = (isFirst: boolean, isNew: boolean): boolean => {
    if (isFirst || !isNew) return true;
    newOnes = newOnes.filter((at) => at > clock.now() - DAY);
    return newOnes.length < MAX_NEW_A_DAY;
  };

  const order = async (names: CertificateNames, failures: number): Promise<void> => {
    const ways = waysFor(names);
    const way = ways[failures % ways.length] ?? 'http-01';
    try {
      certificates.put(names[0], await (await client()).obtain(names, way));
      waiting.delete(names[0]);
      const issued = certificates.find(names[0]);
      log.info({ names, way, valid_to: isoTime(issued?.validTo ?? 0) }, 'certificate issued');
      if (isDue(issued, names, clock.now())) {
        const nextAt = clock.now() + DUE_AGAIN_MS;
        waiting.set(names[0], { failures, nextAt });
        const fields = { names, now: isoTime(clock.now()), next_attempt_at: isoTime(nextAt) };
        log.warn(fields, 'the certificate is due again as it is issued: is the clock right?');
      }
    } catch (error) {
      const nextAt = clock.now() + backOff(failures + 1, ways.length);
      waiting.set(names[0], { failures: failures + 1, nextAt });
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ names, way, reason, next_attempt_at: isoTime(nextAt) }, 'no certificate was issued');
    }
  };

  return {
    run: async () => {
      for (const [at, names] of (await wanted()).entries()) {
        const now = clock.now();
        const known = certificates.find(names[0]);
        const { failures = 0, nextAt = 0 } = waiting.get(names[0]) ?? {};
        if (!isDue(known, names, now) || now < nextAt || !isAllowed(at === 0, known === null)) continue;
        if (known === null && at > 0) newOnes.push(now);
        await order(names, failures);
      }
    },
  };
};
