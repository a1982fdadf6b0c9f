/** Reads vCards and CSV in a worker thread. */

import type { QuotaSubject } from '../budget/quota-subject.ts';
import { type CsvContacts, type ReadCsv, readCsv } from '../contacts/csv/read-csv.ts';
import { toSlices } from '../contacts/slices.ts';
import { type ReadCards, readVCards } from '../contacts/vcard/read-vcards.ts';

export type CsvReading =
  | {
      kind: 'read';
      columnsUnderstood: string[];
      /** Slices of {@link CsvContacts.rows} and {@link CsvContacts.skipped} (contacts/slices.ts). */
      rows: Uint8Array<ArrayBuffer>;
      skipped: Uint8Array<ArrayBuffer>;
    }
  | Exclude<ReadCsv, CsvContacts>;

export type VCardReading =
  /** `cards`: slices of {@link ReadCards.cards}. */
  { kind: 'read'; cards: Uint8Array<ArrayBuffer>; failed: ReadCards['failed'] } | { kind: 'too_many_cards' };

export interface ContactWork {
  'read-csv'(file: { octets: Uint8Array }): CsvReading;
  /** @param file.most cards that are read; more are refused */
  'read-vcards'(file: { octets: Uint8Array; most: number }): VCardReading;
}

/** Contacts that one transaction stores. Each has some twenty keys, and all other units of work wait meanwhile. */
const CONTACTS_AT_ONCE = 10;
/** Rows of which only the place is told: a slice of them takes no longer. */
const SKIPPED_AT_ONCE = 1_000;

export const contactWork: ContactWork = {
  'read-csv': ({ octets }) => {
    const read = readCsv(octets);
    if (read.kind !== 'read') return read;
    const { kind, columnsUnderstood, rows, skipped } = read;
    return {
      kind,
      columnsUnderstood,
      rows: toSlices(rows, CONTACTS_AT_ONCE),
      skipped: toSlices(skipped, SKIPPED_AT_ONCE),
    };
  },
  'read-vcards': ({ octets, most }) => {
    const read = readVCards(octets, most);
    if (read.kind !== 'read') return read;
    return { kind: 'read', cards: toSlices(read.cards, CONTACTS_AT_ONCE), failed: read.failed };
  },
};

/** The worker tasks that an import runs. */
export interface ContactReading {
  run<K extends keyof ContactWork>(
    task: { kind: K } & Parameters<ContactWork[K]>[0],
    quotaSubject?: QuotaSubject,
  ): Promise<ReturnType<ContactWork[K]>>;
}

/** For a process that serves nothing else meanwhile: the command line. */
export const readInThisThread: ContactReading = {
  run: async <K extends keyof ContactWork>(task: { kind: K } & Parameters<ContactWork[K]>[0]) =>
    (contactWork[task.kind] as (file: typeof task) => ReturnType<ContactWork[K]>)(task),
};
