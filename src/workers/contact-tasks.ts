/** Reads vCards and CSV in a worker thread. */

import type { QuotaSubject } from '../budget/quota-subject.ts';
import { type CsvContacts, type ReadCsv, readCsv } from '../contacts/csv/read-csv.ts';
import { toSlices } from '../contacts/slices.ts';
import { type ReadCards, readVCards } from '../contacts/vcard/read-vcards.ts';

export interface ReadCsvTask {
  kind: 'read-csv';
  octets: Uint8Array;
}

export interface ReadVCardsTask {
  kind: 'read-vcards';
  octets: Uint8Array;
  /** Cards that are read; more are refused. */
  most: number;
}

export type ContactTask = ReadCsvTask | ReadVCardsTask;

export type CsvReading =
  | {
      kind: 'read';
      columnsUnderstood: string[];
      /** Of {@link CsvContacts.rows} and {@link CsvContacts.skipped} (contacts/slices.ts). */
      rows: Uint8Array<ArrayBuffer>;
      skipped: Uint8Array<ArrayBuffer>;
    }
  | Exclude<ReadCsv, CsvContacts>;

export type VCardReading =
  /** `cards`: slices of {@link ReadCards.cards}. */
  { kind: 'read'; cards: Uint8Array<ArrayBuffer>; failed: ReadCards['failed'] } | { kind: 'too_many_cards' };

export interface ContactResults {
  'read-csv': CsvReading;
  'read-vcards': VCardReading;
}

/** Contacts that one transaction stores. Each has some twenty keys, and all other units of work wait meanwhile. */
const CONTACTS_AT_ONCE = 10;
/** Rows of which only the place is told: a slice of them takes no longer. */
const SKIPPED_AT_ONCE = 1_000;

export const performCsvTask = ({ octets }: ReadCsvTask): CsvReading => {
  const read = readCsv(octets);
  if (read.kind !== 'read') return read;
  const { kind, columnsUnderstood, rows, skipped } = read;
  return {
    kind,
    columnsUnderstood,
    rows: toSlices(rows, CONTACTS_AT_ONCE),
    skipped: toSlices(skipped, SKIPPED_AT_ONCE),
  };
};

export const performVCardTask = ({ octets, most }: ReadVCardsTask): VCardReading => {
  const read = readVCards(octets, most);
  if (read.kind !== 'read') return read;
  return { kind: 'read', cards: toSlices(read.cards, CONTACTS_AT_ONCE), failed: read.failed };
};

/** The worker tasks that an import runs. */
export interface ContactReading {
  run<K extends ContactTask['kind']>(
    task: Extract<ContactTask, { kind: K }>,
    quotaSubject?: QuotaSubject,
  ): Promise<ContactResults[K]>;
}

/** For a process that serves nothing else meanwhile: the command line. */
export const readInThisThread: ContactReading = {
  run: async <K extends ContactTask['kind']>(task: ContactTask) =>
    (task.kind === 'read-csv' ? performCsvTask(task) : performVCardTask(task)) as ContactResults[K],
};
