/** Compares what was acknowledged with what is there. */

import type { Struck } from './blows.ts';
import type { Ledger, Work } from './ledger.ts';

export interface Found {
  /** Names of the mails that are stored, in and out: a name once for each. */
  readonly stored: readonly string[];
  /** Of the messages that were received by the mailbox that a webhook tells of. */
  readonly receivedIds: readonly string[];
  /** Those ids of which the webhook's receiver heard. */
  readonly heardIds: ReadonlySet<string>;
  readonly blows: readonly Struck[];
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

/** From the arrival of a mail at its receiver to the row that says so, on a machine with other work. */
const NOTED_WITHIN_MS = 1_000;
/** Those that come between a receiver's reply and the row that says so. A clock that is set does not. */
const PARTING: ReadonlySet<Struck['blow']> = new Set(['kill', 'disk', 'cut']);

const countsOf = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Whether a blow explains that the daemon does not know of a copy that arrived at `arrival`. */
const isStruck = (blows: readonly Struck[], arrival: number): boolean =>
  blows.some(({ blow, from, to }) => PARTING.has(blow) && from <= arrival + NOTED_WITHIN_MS && to >= arrival);

export const judge = (ledger: Ledger, { stored, receivedIds, heardIds, blows }: Found): Verdict => {
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
    for (const arrival of arrivals.slice(0, -1)) {
      if (isStruck(blows, arrival)) sum.doubled += 1;
      else sum.wronglyDoubled.push(name);
    }
  }
  const unheard = receivedIds.filter((id) => !heardIds.has(id));
  const isGood =
    unheard.length === 0 && Object.values(sums).every((sum) => sum.lost.length + sum.wronglyDoubled.length === 0);
  return { sums, unheard, isGood };
};
