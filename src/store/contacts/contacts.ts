/** The contacts of a workspace. */

import { sql } from 'kysely';
import { type ContactId, idFromBytes, idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedAdd, preparedNumberedListInsert } from '../prepared-insert.ts';
import { preparedListSelect } from '../prepared-statement.ts';
import { above, below, deleteRows, findRow, listRows, updateRows } from '../rows.ts';
import type { WordSource } from '../search/word-search.ts';
import type { Db, Tx } from '../store.ts';
import { addKeys, changeKeys, contactWords, KEY_KIND } from './contact-keys.ts';
import { type Contact, contactBooks, contacts } from './contacts-mappings.ts';

export type NewContact = Omit<Contact, 'seq'>;

const insertRows = preparedNumberedListInsert(contacts.omit('seq'), 'seq');

const addToBook = preparedAdd(contactBooks);

/** Adds contacts of one workspace. @returns them in their order, with their seqs */
export const insertContacts = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  added: readonly NewContact[],
): Promise<Contact[]> => {
  if (added.length === 0) return [];
  const seqs = await insertRows(tx, added);
  const inserted = added.map((contact, at) => ({ ...contact, seq: seqs[at] ?? 0 }));
  await addKeys(tx, workspaceId, inserted);
  await addToBook(tx, { workspaceId, contactCount: added.length });
  return inserted;
};

/** How many contacts the workspace has. */
export const countContacts = async (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  (await findRow(db, contactBooks, { workspaceId }))?.contactCount ?? 0;

/** Writes a contact and its search entries. */
export const updateContact = async (tx: Tx, before: Contact, after: Contact): Promise<void> => {
  const { seq, id, workspaceId, createdAt, ...change } = after;
  await updateRows(tx, contacts, { seq: before.seq }, change);
  await changeKeys(tx, before, after);
};

/** Deletes a contact, its search entries and its memberships. */
export const deleteContact = async (tx: Tx, contact: Contact): Promise<void> => {
  await tx.db
    .updateTable('contact_lists')
    .set((eb) => ({ member_count: eb('member_count', '-', 1) }))
    .where('id', 'in', (eb) =>
      eb.selectFrom('contact_list_members').select('list_id').where('contact_seq', '=', contact.seq),
    )
    .execute();
  await changeKeys(tx, contact, null);
  // Its memberships go with it.
  await deleteRows(tx, contacts, { seq: contact.seq });
  await addToBook(tx, { workspaceId: contact.workspaceId, contactCount: -1 });
};

export const findContact = (db: Db, workspaceId: WorkspaceId, id: ContactId): Promise<Contact | null> =>
  findRow(db, contacts, { id, workspaceId });

/** The contacts of these seqs, in their order; those that are gone are left out. */
export const findContactsBySeq = async (db: Db, seqs: readonly number[]): Promise<Contact[]> => {
  const found: Contact[] = [];
  for (const seq of seqs) {
    const contact = await findRow(db, contacts, { seq });
    if (contact) found.push(contact);
  }
  return found;
};

export const contactTexts: WordSource = {
  table: 'contact_terms',
  readWords: async (db, seq) => (await findContactsBySeq(db, [seq])).flatMap(contactWords),
};

/** Newest first, those created before the contact of that seq; null: from the newest. */
export const listContacts = async (
  db: Db,
  workspaceId: WorkspaceId,
  before: number | null,
  limit: number,
): Promise<Contact[]> => {
  const older = before === null ? {} : { seq: below(before) };
  return listRows(db, contacts, { workspaceId, ...older }, { order: { seq: 'desc' }, limit });
};

/** Oldest first, those created after the contact of that seq. */
export const listContactsFrom = (db: Db, workspaceId: WorkspaceId, after: number, limit: number): Promise<Contact[]> =>
  listRows(db, contacts, { workspaceId, seq: above(after) }, { order: { seq: 'asc' }, limit });

const reference = contacts.pick('seq', 'id');
/** What names a contact without its content. */
export type ContactReference = Entity<typeof reference>;

/** The seqs of the workspace's contacts among these ids; null in the place of each that it does not have. */
export const findContactSeqs = async (
  db: Db,
  workspaceId: WorkspaceId,
  ids: readonly ContactId[],
): Promise<(number | null)[]> => {
  const seqs: (number | null)[] = [];
  for (const id of ids) {
    const contact = await findRow(db, contacts, { id, workspaceId }, { as: reference });
    seqs.push(contact?.seq ?? null);
  }
  return seqs;
};

const withEmails = preparedListSelect((db, { workspaceId }: { workspaceId: Uint8Array }, addresses) =>
  db
    .selectFrom('contact_keys as k')
    .innerJoin('contacts as c', (join) => join.on(sql<boolean>`c.seq = -k.recency`))
    .select(['k.key', 'c.seq', 'c.id'])
    .where('k.workspace_id', '=', workspaceId)
    .where('k.kind', '=', sql.lit(KEY_KIND.email))
    .where('k.key', 'in', addresses as string[]),
);

/** The newest contact for each of these e-mail addresses, by address; addresses without one are left out. */
export const findContactsByEmail = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly string[],
): Promise<Map<string, ContactReference>> => {
  const rows = await withEmails(db, { workspaceId: idToBytes(workspaceId) }, addresses);
  rows.sort((one, other) => one.seq - other.seq);
  return new Map(rows.map(({ key, seq, id }) => [key, { seq, id: idFromBytes<'contact'>(id) }]));
};
