/** What was asked of the daemon under a name of its own, what it acknowledged, and what came of it. */

/** A mail in, a send by REST, or a send that was booked first. */
export type Work = 'in' | 'out' | 'booked';

export interface Entry {
  readonly work: Work;
  /** How often it was handed over. More than once: no answer had come before. */
  tries: number;
  isAcknowledged: boolean;
  /** When its copies came, on the monotonic clock of the one who counts, in ms. */
  readonly arrivals: number[];
}

export interface Ledger {
  /** A new name, of one word: it stands in the subject. */
  begin(work: Work): string;
  entry(name: string): Entry | undefined;
  readonly entries: ReadonlyMap<string, Entry>;
}

export const createLedger = (): Ledger => {
  const entries = new Map<string, Entry>();
  return {
    entries,
    entry: (name) => entries.get(name),
    begin: (work) => {
      const name = `torture-${work}-${entries.size}`;
      entries.set(name, { work, tries: 0, isAcknowledged: false, arrivals: [] });
      return name;
    },
  };
};
