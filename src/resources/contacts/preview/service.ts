/** Previews imports: reads a file as the import does, and writes nothing. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { CsvContacts } from '../../../contacts/csv/read-csv.ts';
import { readSlices } from '../../../contacts/slices.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import { displayName } from '../../../store/contacts/contact-name.ts';
import {
  countContacts,
  findContactsByEmail,
  findContactsBySeq,
  type NewContact,
} from '../../../store/contacts/contacts.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { listEmails, splitKnown } from '../exchange/import-contacts.ts';
import { createFileReading, type FileReadingNeeds, type IndexedCard } from '../exchange/read-files.ts';
import { MAX_CONTACTS, MAX_PERSONS_CARDS } from '../limits-contract.ts';
import { type contactPreviewContract, MOST_SHOWN, OUTCOMES, type PreviewView } from './contract.ts';

type PreviewNeeds = FileReadingNeeds & Needs<'store'>;

type Row = PreviewView['rows'][number];
type Seen = Partial<Row> & Pick<Row, 'place' | 'outcome'>;

/** Counts outcomes, and keeps the first rows of each. */
class Preview {
  readonly counts: PreviewView['counts'] = { create: 0, exists: 0, skip: 0, fail: 0 };
  readonly #rows: Row[] = [];

  add(row: Seen): void {
    this.counts[row.outcome] += 1;
    if (this.counts[row.outcome] > MOST_SHOWN) return;
    this.#rows.push({ name: null, company: null, channel: null, reason: null, field: null, known: null, ...row });
  }

  /** Whether a row of that outcome would be shown. */
  shows(outcome: Row['outcome']): boolean {
    return this.counts[outcome] < MOST_SHOWN;
  }

  view(columns: readonly string[]): PreviewView {
    const rows = this.#rows.toSorted(
      (a, b) => a.place - b.place || OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome),
    );
    return { columns_understood: [...columns], counts: this.counts, rows };
  }
}

const facts = (contact: NewContact): Pick<Row, 'name' | 'company' | 'channel'> => ({
  name: displayName(contact) || null,
  company: contact.companyName,
  channel: contact.channels[0]?.value ?? null,
});

export const createContactPreview = (needs: PreviewNeeds): Handlers<typeof contactPreviewContract> => {
  const db: Db = needs.store.read;
  const { readCsvFile, readCardFile, toContacts } = createFileReading(needs);

  /** Adds a new contact's row: similar contacts, and whether there is room for it. */
  const addNew = (preview: Preview, place: number, contact: NewContact, room: number, known: Row['known']): void => {
    const isOver = preview.counts.create >= room;
    const outcome = isOver ? 'fail' : 'create';
    preview.add({ place, outcome, ...facts(contact), known, ...(isOver && { reason: 'too_many_contacts' }) });
  };

  const findKnown = async (workspaceId: WorkspaceId, contact: NewContact): Promise<Row['known']> => {
    const [found] = (await findContactsByEmail(db, workspaceId, listEmails(contact))).values();
    if (!found) return null;
    const [stored] = await findContactsBySeq(db, [found.seq]);
    return stored ? { id: stored.id, name: displayName(stored) } : null;
  };

  const findRoom = async (workspaceId: WorkspaceId): Promise<number> =>
    MAX_CONTACTS - (await countContacts(db, workspaceId));

  return {
    csv: async ({ workspaceId }, { csv }) => {
      const reading = await readCsvFile({ file: csv, quotaSubject: { workspace: workspaceId } });
      const preview = new Preview();
      const room = await findRoom(workspaceId);
      for (const rows of readSlices<CsvContacts['rows'][number]>(reading.rows)) {
        const { contacts, failed } = toContacts<{ row: number }>(workspaceId, rows);
        for (const { row, ...failure } of failed) preview.add({ place: row, outcome: 'fail', ...failure });
        for (const { row, contact } of contacts) {
          const known = await findKnown(workspaceId, contact);
          if (known) preview.add({ place: row, outcome: 'exists', ...facts(contact), known });
          else addNew(preview, row, contact, room, null);
        }
        await yieldToLoop();
      }
      for (const rows of readSlices<CsvContacts['skipped'][number]>(reading.skipped)) {
        for (const { row, reason, shown } of rows) preview.add({ place: row, outcome: 'skip', reason, name: shown });
        await yieldToLoop();
      }
      return preview.view(reading.columnsUnderstood);
    },

    vcards: async ({ workspaceId }, { vcard }) => {
      const given = { file: vcard, quotaSubject: { workspace: workspaceId }, most: MAX_PERSONS_CARDS };
      const reading = await readCardFile(given);
      const preview = new Preview();
      const room = await findRoom(workspaceId);
      for (const { index, reason } of reading.failed) preview.add({ place: index + 1, outcome: 'fail', reason });
      for (const cards of readSlices<IndexedCard>(reading.cards)) {
        const { added, known } = await splitKnown(db, workspaceId, cards);
        for (const { index, card } of known) {
          const channel = card.channels[0]?.value ?? null;
          preview.add({ place: index + 1, outcome: 'exists', name: card.fullName, company: card.companyName, channel });
        }
        const { contacts, failed } = toContacts<{ index: number }>(workspaceId, added);
        for (const { index, ...failure } of failed) preview.add({ place: index + 1, outcome: 'fail', ...failure });
        for (const { index, contact } of contacts) {
          const resembled = preview.shows('create') ? await findKnown(workspaceId, contact) : null;
          addNew(preview, index + 1, contact, room, resembled);
        }
        await yieldToLoop();
      }
      return preview.view([]);
    },
  };
};
