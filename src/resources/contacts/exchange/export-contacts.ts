/** Exports contacts as text, the oldest first, so that an import of it keeps the order. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { CSV_HEADER, formatCsvRow } from '../../../contacts/csv/format-csv.ts';
import { formatVCard, formatVCards } from '../../../contacts/vcard/format-vcard.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import { byPosition, readPage } from '../../../kernel/page.ts';
import { listContactsFrom } from '../../../store/contacts/contacts.ts';
import type { Contact } from '../../../store/contacts/contacts-mappings.ts';
import type { Db } from '../../../store/store.ts';
import { toCard } from './card-content.ts';

/** Contacts of one read. */
const READ_AT_ONCE = 100;
/** Contacts of one page, for an export in pages. */
const PAGE = 500;

/** Reads a page on demand: no read stays open while a slow client receives. */
const readContacts = async function* (db: Db, workspaceId: WorkspaceId): AsyncGenerator<Contact> {
  let after = 0;
  for (;;) {
    const contacts = await listContactsFrom(db, workspaceId, after, READ_AT_ONCE);
    const last = contacts.at(-1);
    if (!last) return;
    yield* contacts;
    after = last.seq;
    await yieldToLoop();
  }
};

const readCards = async function* (db: Db, workspaceId: WorkspaceId) {
  for await (const contact of readContacts(db, workspaceId)) yield toCard(contact);
};

/** All contacts as vCard 4.0. */
export const exportBook = (db: Db, workspaceId: WorkspaceId): AsyncGenerator<string> =>
  formatVCards(readCards(db, workspaceId));

export const exportContact = (contact: Contact): AsyncGenerator<string> => formatVCards([toCard(contact)]);

const bySeq = byPosition(({ seq }: Contact) => seq);

/** One page of the contacts. @throws ApiError invalid_request for a cursor of another list */
export const exportPage = async (
  db: Db,
  workspaceId: WorkspaceId,
  { format, cursor }: { format: 'vcard' | 'csv'; cursor?: string | undefined },
) => {
  const { rows, next_cursor } = await readPage<Contact, number>({ limit: PAGE, cursor }, bySeq, (after, limit) =>
    listContactsFrom(db, workspaceId, after ?? 0, limit),
  );
  const cards = rows.map(toCard);
  const header = format === 'csv' && cursor === undefined ? CSV_HEADER : '';
  const text = cards.map(format === 'csv' ? formatCsvRow : formatVCard).join('');
  return { text: header + text, contacts: rows.length, next_cursor };
};
