/** Tells the log who was turned away: each party and resource once a minute, with the number of times since. */

import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';
import { PARTIES, type Refusal } from './occupant.ts';

export interface BudgetLog {
  warn(fields: object, message: string): void;
}

const EVERY_MS: Millis = MINUTE;
/** Lines a minute in all: many networks at once are told by the number of lines left out. */
const LINES_PER_WINDOW = 30;
/** Parties remembered within a window. */
const MAX_PARTIES = 1_000;

export const createRefusalLog = (log: BudgetLog, clock: Clock): ((refusal: Refusal) => void) => {
  /** Of each party and resource, refusals in this window that no line tells of. */
  let untold = new Map<string, number>();
  let windowEnd = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let leftOut = 0;
  return ({ resource, occupant, limit, asked, used, most }) => {
    const now = clock.now();
    const isNew = now >= windowEnd || windowEnd - now > EVERY_MS;
    const before = untold;
    const unwritten = leftOut;
    if (isNew) {
      untold = new Map();
      windowEnd = now + EVERY_MS;
      lines = 0;
      leftOut = 0;
    }
    const who = Object.fromEntries(
      PARTIES.flatMap((party) => (occupant[party] === undefined ? [] : [[party, occupant[party]]])),
    );
    const name = `${resource} ${limit} ${limit === 'all' ? '' : occupant[limit]}`;
    const known = untold.get(name);
    if (known !== undefined || lines >= LINES_PER_WINDOW || untold.size >= MAX_PARTIES) {
      if (known !== undefined) untold.set(name, known + 1);
      leftOut += 1;
      return;
    }
    untold.set(name, 0);
    lines += 1;
    const since = (before === untold ? 0 : (before.get(name) ?? 0)) + 1;
    const about = { resource, ...who, limit, asked, used, most, times: since };
    log.warn(isNew && unwritten > 0 ? { ...about, left_out: unwritten } : about, 'turned away');
  };
};
