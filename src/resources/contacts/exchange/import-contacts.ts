/**
 * Imports CSV and vCards. A worker thread reads the file; slices are stored one by one, each in its own transaction,
 * so that mail is stored in between. Slices of several imports take turns.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { CsvContacts } from '../../../contacts/csv/read-csv.ts';
import { readSlices } from '../../../contacts/slices.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { ContactId, ContactListId, WorkspaceId } from '../../../kernel/ids.ts';
import { addMembers, findListByName } from '../../../store/contacts/contact-lists.ts';
import {
  type ContactReference,
  countContacts,
  findContactSeqs,
  findContactsByEmail,
  insertContacts,
  type NewContact,
} from '../../../store/contacts/contacts.ts';
import type { Contact } from '../../../store/contacts/contacts-mappings.ts';
import type { Db, Tx } from '../../../store/store.ts';
import type { ContactReading } from '../../../workers/contact-tasks.ts';
import type { Needs } from '../../needs.ts';
import type { CardFailureView } from '../contract.ts';
import { MAX_CONTACTS } from '../limits-contract.ts';
import { addList, requireList } from '../lists/add-list.ts';
import { readExportedId } from './card-content.ts';
import type { CsvImportView } from './contract.ts';
import { type CardFile, createFileReading, type ImportedFile, type IndexedCard, type Slice } from './read-files.ts';

export interface ImportNeeds extends Needs<'store' | 'clock' | 'newId'> {
  workers: ContactReading;
}

interface CsvImport extends ImportedFile {
  listId?: ContactListId | undefined;
  listName?: string | undefined;
  /** Called with the number of rows done. */
  advance?: (rows: number) => void;
}

type Row = CsvContacts['rows'][number];

/** The reason for a valid contact that is not stored: the workspace is full. */
const NO_ROOM = 'too_many_contacts' as const;

export const listEmails = ({ channels }: Pick<Contact, 'channels'>): string[] =>
  channels.filter(({ kind }) => kind === 'email').map(({ key }) => key);

/** Separates the cards with the UID of an existing contact. */
export const splitKnown = async (db: Db, workspaceId: WorkspaceId, cards: readonly IndexedCard[]) => {
  const ids = cards.map(({ card }) => readExportedId(card));
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const seqs = await findContactSeqs(db, workspaceId, wanted);
  const known = new Set<ContactId | null>(wanted.filter((_, at) => seqs[at] !== null));
  return {
    added: cards.filter((_, at) => !known.has(ids[at] ?? null)),
    known: cards.filter((_, at) => known.has(ids[at] ?? null)),
  };
};

export const createContactImport = (needs: ImportNeeds) => {
  const { store, clock } = needs;
  const { readCsvFile, readCardFile, toContacts } = createFileReading(needs);

  let last: Promise<unknown> = Promise.resolve();
  /** An import has one transaction at a time. */
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const turn = last.then(() => store.write(work));
    last = turn.catch(() => undefined);
    return turn;
  };

  /** The list of that name, created where it is missing. */
  const listNamed = (workspaceId: WorkspaceId, name: string): Promise<ContactListId> =>
    write(async (tx) => {
      const found = await findListByName(tx.db, workspaceId, name);
      return (found ?? (await addList(tx, needs, workspaceId, { name, description: null }))).id;
    });

  /** @returns the first contacts, as many as fit into the workspace */
  const insertWithinRoom = async (
    tx: Tx,
    workspaceId: WorkspaceId,
    contacts: readonly NewContact[],
  ): Promise<Contact[]> => {
    const room = Math.max(0, MAX_CONTACTS - (await countContacts(tx.db, workspaceId)));
    return insertContacts(tx, workspaceId, contacts.slice(0, room));
  };

  const storeRows = async (
    tx: Tx,
    workspaceId: WorkspaceId,
    listId: ContactListId | null,
    { contacts, failed }: Slice<{ row: number }>,
  ) => {
    if (listId) await requireList(tx.db, workspaceId, listId);
    const emails = contacts.flatMap(({ contact }) => listEmails(contact));
    const known = await findContactsByEmail(tx.db, workspaceId, emails);
    const existing = ({ contact }: { contact: NewContact }): ContactReference | undefined =>
      listEmails(contact).flatMap((email) => known.get(email) ?? [])[0];
    const added = contacts.filter((each) => !existing(each));
    const inserted = await insertWithinRoom(
      tx,
      workspaceId,
      added.map(({ contact }) => contact),
    );
    const stored = new Map(inserted.map((contact) => [contact.id, contact]));
    const references = contacts.flatMap((each) => existing(each) ?? stored.get(each.contact.id) ?? []);
    const seqs = [...new Set(references.map(({ seq }) => seq))];
    return {
      ids: references.map(({ id }) => id),
      created: inserted.length,
      matched: contacts.length - added.length,
      addedToList: listId ? await addMembers(tx, listId, seqs, clock.now()) : 0,
      failed: [...failed, ...added.slice(inserted.length).map(({ row }) => ({ row, reason: NO_ROOM, field: null }))],
    };
  };

  const importCsv = async (workspaceId: WorkspaceId, given: CsvImport): Promise<CsvImportView> => {
    const { listId, listName } = given;
    if (listId !== undefined && listName !== undefined) {
      throw new ApiError('invalid_request', { hint: 'Give `list_id` or `list_name`, not both.' });
    }
    if (listId !== undefined) await requireList(store.read, workspaceId, listId);
    const reading = await readCsvFile(given);
    let list = listId ?? null;
    const ids = new Set<ContactId>();
    const result: CsvImportView = {
      created: 0,
      matched_existing: 0,
      added_to_list: 0,
      list_id: null,
      columns_understood: reading.columnsUnderstood,
      skipped: [],
      failed: [],
      contact_ids: [],
    };
    for (const rows of readSlices<CsvContacts['skipped'][number]>(reading.skipped)) {
      result.skipped.push(...rows.map(({ row, reason }) => ({ row, reason })));
      await yieldToLoop();
    }
    for (const rows of readSlices<Row>(reading.rows)) {
      const slice = toContacts<{ row: number }>(workspaceId, rows);
      // Creates the list with the first valid row.
      if (listName !== undefined && slice.contacts.length > 0) list ??= await listNamed(workspaceId, listName);
      const stored = await write((tx) => storeRows(tx, workspaceId, list, slice));
      result.created += stored.created;
      result.matched_existing += stored.matched;
      result.added_to_list += stored.addedToList;
      result.failed.push(...stored.failed);
      for (const id of stored.ids) ids.add(id);
      given.advance?.(rows.length);
    }
    return { ...result, list_id: list, contact_ids: [...ids] };
  };

  const storeCards = async (tx: Tx, workspaceId: WorkspaceId, cards: readonly IndexedCard[]) => {
    const { added, known } = await splitKnown(tx.db, workspaceId, cards);
    const slice = toContacts<{ index: number }>(workspaceId, added);
    const contacts = slice.contacts.map(({ contact }) => contact);
    const inserted = await insertWithinRoom(tx, workspaceId, contacts);
    const failed: CardFailureView[] = [
      ...slice.failed,
      ...known.map(({ index }) => ({ index, reason: 'exists' as const, field: null })),
      ...slice.contacts.slice(inserted.length).map(({ index }) => ({ index, reason: NO_ROOM, field: null })),
    ];
    return { inserted, failed };
  };

  /** @param most cards; @param take receives the contacts of each slice, stored */
  const importVCards = async (
    workspaceId: WorkspaceId,
    given: CardFile,
    take: (contacts: readonly Contact[]) => void,
  ): Promise<CardFailureView[]> => {
    const reading = await readCardFile(given);
    const failed: CardFailureView[] = reading.failed.map((failure) => ({ ...failure, field: null }));
    for (const cards of readSlices<IndexedCard>(reading.cards)) {
      const stored = await write((tx) => storeCards(tx, workspaceId, cards));
      failed.push(...stored.failed);
      take(stored.inserted);
    }
    return failed.toSorted((one, other) => one.index - other.index);
  };

  return { importCsv, importVCards };
};
