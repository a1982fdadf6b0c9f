/** Compares what was acknowledged with what is there. */

import type { Ledger, Work } from './ledger.ts';

export interface Found {
  /** Names of the mails that are stored, in and out: a name once for each. */
  readonly stored: readonly string[];
  /** Of the messages that were received, the ids that events tell of. */
  readonly eventIds: readonly string[];
  /** Those ids of which the webhook's receiver heard. */
  readonly heardIds: ReadonlySet<string>;
  /** Moments at which the daemon, its disk or its connections were struck, in ms, in their order. */
  readonly blows: readonly number[];
}

export interface Sum {
  acknowledged: number;
  lost: string[];
  /** Copies beyond the first that RFC 5321, section 4.5.4.1, leaves open: an answer had not come. */
  doubled: number;
  /** Copies beyond the first that nothing explains. */
  wronglyDoubled: string[];
}

export interface Verdict {
  readonly sums: Readonly<Record<Work, Sum>>;
  readonly unheard: readonly string[];
  readonly isGood: boolean;
}

/** A reply that was under way when the blow fell is heard of a little later, or not at all. */
const AROUND_MS = 10_000;

const countsOf = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const isStruck = (blows: readonly number[], from: number, to: number): boolean =>
  blows.some((at) => at >= from - AROUND_MS && at <= to);

export const judge = (ledger: Ledger, { stored, eventIds, heardIds, blows }: Found): Verdict => {
  const counts = countsOf(stored);
  const empty = (): Sum => ({ acknowledged: 0, lost: [], doubled: 0, wronglyDoubled: [] });
  const sums: Record<Work, Sum> = { in: empty(), out: empty(), booked: empty() };
  for (const [name, { work, tries, isAcknowledged, arrivals }] of ledger.entries) {
    const sum = sums[work];
    const isThere = work === 'in' ? counts.has(name) : counts.has(name) && arrivals.length > 0;
    if (isAcknowledged) sum.acknowledged += 1;
    if (isAcknowledged && !isThere) sum.lost.push(name);
    const kept = (counts.get(name) ?? 1) - 1;
    // A client that had no answer hands a mail in again. A send goes by its key: it is kept once, whatever was tried.
    if (work === 'in' && kept < tries) sum.doubled += kept;
    else if (kept > 0) sum.wronglyDoubled.push(name);
    for (const [at, arrival] of arrivals.slice(1).entries()) {
      if (isStruck(blows, arrivals[at] ?? 0, arrival)) sum.doubled += 1;
      else sum.wronglyDoubled.push(name);
    }
  }
  const unheard = eventIds.filter((id) => !heardIds.has(id));
  const isGood =
    unheard.length === 0 && Object.values(sums).every((sum) => sum.lost.length + sum.wronglyDoubled.length === 0);
  return { sums, unheard, isGood };
};
