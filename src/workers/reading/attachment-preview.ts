/** Previews an attachment: the first rows of CSV, events of a calendar, else its text. */

import { parseRecords } from '../../contacts/csv/records.ts';
import { decodeFile } from '../../contacts/file-text.ts';
import { bareMediaType } from '../../kernel/media-type.ts';
import { type EventCard, readEventCards } from '../../mail/text/calendar.ts';
import { type AttachmentFile, type AttachmentText, readAttachmentText } from './attachment-text.ts';

/** Null: it is of a kind that has none. */
export type AttachmentPreview =
  | {
      kind: 'rows';
      rows: string[][];
      /** Rows of the whole file; null where only a part of it is read. */
      total: number | null;
    }
  | { kind: 'events'; events: EventCard[] }
  | { kind: 'text'; text: string; isCut: boolean }
  | null;

export interface AttachmentWork {
  'attachment-text'(file: AttachmentFile): AttachmentText;
  'attachment-preview'(file: AttachmentFile): AttachmentPreview;
}

const MAX_TABLE_OCTETS = 1024 * 1024;
const MAX_ROWS_READ = 10_000;
const SHOWN_ROWS = 6;
const SHOWN_COLUMNS = 12;
const SHOWN_CELL = 120;
const SHOWN_TEXT = 20_000;

const isOf = (file: AttachmentFile, types: ReadonlySet<string>, suffix: RegExp): boolean =>
  types.has(bareMediaType(file.contentType)) || suffix.test(file.filename);

const CALENDARS = new Set(['text/calendar', 'application/ics']);
const TABLES = new Set(['text/csv', 'text/tab-separated-values', 'application/csv']);

const readRows = (octets: Uint8Array): AttachmentPreview => {
  const isWhole = octets.length <= MAX_TABLE_OCTETS;
  const text = decodeFile(octets.subarray(0, MAX_TABLE_OCTETS));
  // The last row of a cut file is no whole one.
  const rows = parseRecords(isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1), MAX_ROWS_READ);
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const shown = rows
    .slice(0, SHOWN_ROWS)
    .map(({ record }) => record.slice(0, SHOWN_COLUMNS).map((cell) => cell.slice(0, SHOWN_CELL)));
  return { kind: 'rows', rows: shown, total: isWhole && rows.length < MAX_ROWS_READ ? rows.length : null };
};

/** @throws where it is damaged or encrypted */
export const previewAttachment = async (file: AttachmentFile): Promise<AttachmentPreview> => {
  if (isOf(file, CALENDARS, /\.ics$/i)) {
    const events = readEventCards(Buffer.from(file.octets));
    if (events.length > 0) return { kind: 'events', events };
  }
  const rows = isOf(file, TABLES, /\.(?:csv|tsv)$/i) ? readRows(file.octets) : null;
  if (rows) return rows;
  const read = await readAttachmentText(file);
  if (!read || read.text.trim() === '') return null;
  return { kind: 'text', text: read.text.slice(0, SHOWN_TEXT), isCut: read.isCut || read.text.length > SHOWN_TEXT };
};
