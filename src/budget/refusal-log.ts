/** Logs refusals: each party and resource once a minute, with the number of refusals since. */

import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';
import { PARTIES, type Refusal } from './quota-subject.ts';

export interface BudgetLog {
  warn(fields: object, message: string): void;
}

const EVERY_MS: Millis = MINUTE;
/** Lines per minute in total; the next window reports the number of lines left out. */
const LINES_PER_WINDOW = 30;
/** Parties tracked within a window. */
const MAX_PARTIES = 1_000;

export const createRefusalLog = (log: BudgetLog, clock: Clock): ((refusal: Refusal) => void) => {
  /** Refusals in this window without a line, by party and resource. */
  let unlogged = new Map<string, number>();
  let windowEnd = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let leftOut = 0;
  return ({ resource, quotaSubject, limit, asked, used, most }) => {
    const now = clock.now();
    const isNew = now >= windowEnd || windowEnd - now > EVERY_MS;
    const before = unlogged;
    const unwritten = leftOut;
    if (isNew) {
      unlogged = new Map();
      windowEnd = now + EVERY_MS;
      lines = 0;
      leftOut = 0;
    }
    const who = Object.fromEntries(
      PARTIES.flatMap((party) => (quotaSubject[party] === undefined ? [] : [[party, quotaSubject[party]]])),
    );
    const name = `${resource} ${limit} ${limit === 'all' ? '' : quotaSubject[limit]}`;
    const known = unlogged.get(name);
    if (known !== undefined || lines >= LINES_PER_WINDOW || unlogged.size >= MAX_PARTIES) {
      if (known !== undefined) unlogged.set(name, known + 1);
      leftOut += 1;
      return;
    }
    unlogged.set(name, 0);
    lines += 1;
    const since = (before === unlogged ? 0 : (before.get(name) ?? 0)) + 1;
    const about = { resource, ...who, limit, asked, used, most, times: since };
    log.warn(isNew && unwritten > 0 ? { ...about, left_out: unwritten } : about, 'turned away');
  };
};
