/** Lists of contacts, each with the number of its members kept on its row. */

import type { Millis } from '../../kernel/clock.ts';
import { type ContactListId, idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import { foldCase } from '../../kernel/text/fold.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert, preparedListInsertNew } from '../prepared-insert.ts';
import { countRows, deleteAndCount, deleteRows, findRow, listRows, plus, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { findContactsBySeq } from './contacts.ts';
import { type Contact, contactListMembers, contactLists } from './contacts-mappings.ts';

const list = contactLists.omit('nameKey');
export type ContactList = Entity<typeof list>;

const insertRow = preparedInsert(contactLists);

/** The name is free by {@link findListByName}. */
export const insertList = (tx: Tx, added: ContactList): Promise<void> =>
  insertRow(tx, { ...added, nameKey: foldCase(added.name) });

export const findList = (db: Db, workspaceId: WorkspaceId, id: ContactListId): Promise<ContactList | null> =>
  findRow(db, contactLists, { id, workspaceId }, { as: list });

/** The list of that name, whatever its case. */
export const findListByName = (db: Db, workspaceId: WorkspaceId, name: string): Promise<ContactList | null> =>
  findRow(db, contactLists, { workspaceId, nameKey: foldCase(name) }, { as: list });

/** All of them by name: a workspace has a bounded number. */
export const listLists = (db: Db, workspaceId: WorkspaceId): Promise<ContactList[]> =>
  listRows(db, contactLists, { workspaceId }, { order: { nameKey: 'asc' }, as: list });

export const countLists = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, contactLists, { workspaceId });

export const updateList = async (
  tx: Tx,
  id: ContactListId,
  change: Partial<Pick<ContactList, 'name' | 'description'>>,
  updatedAt: Millis,
): Promise<void> => {
  const nameKey = change.name === undefined ? undefined : foldCase(change.name);
  await updateRows(tx, contactLists, { id }, { ...change, ...(nameKey !== undefined && { nameKey }), updatedAt });
};

/** Its contacts are kept. */
export const deleteList = (tx: Tx, id: ContactListId): Promise<void> => deleteRows(tx, contactLists, { id });

/** Newest contacts first. The offset walks the index alone. */
export const listMembers = async (db: Db, id: ContactListId, limit: number, offset: number): Promise<Contact[]> => {
  const rows = await db
    .selectFrom('contact_list_members')
    .select('contact_seq')
    .where('list_id', '=', idToBytes(id))
    .orderBy('contact_seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return findContactsBySeq(
    db,
    rows.map(({ contact_seq }) => contact_seq),
  );
};

const insertMembers = preparedListInsertNew(contactListMembers);

const changeCount = async (tx: Tx, id: ContactListId, by: number, updatedAt: Millis): Promise<void> => {
  if (by !== 0) await updateRows(tx, contactLists, { id }, { memberCount: plus(by), updatedAt });
};

/** @returns how many were not on the list before */
export const addMembers = async (tx: Tx, id: ContactListId, seqs: readonly number[], now: Millis): Promise<number> => {
  const added = await insertMembers(
    tx,
    seqs.map((contactSeq) => ({ listId: id, contactSeq })),
  );
  await changeCount(tx, id, added, now);
  return added;
};

/** @returns how many were on the list */
export const removeMembers = async (
  tx: Tx,
  id: ContactListId,
  seqs: readonly number[],
  now: Millis,
): Promise<number> => {
  let removed = 0;
  for (const contactSeq of seqs) removed += await deleteAndCount(tx, contactListMembers, { listId: id, contactSeq });
  await changeCount(tx, id, -removed, now);
  return removed;
};

/** Puts one contact on every list of another. */
export const copyMemberships = async (tx: Tx, fromSeq: number, toSeq: number, now: Millis): Promise<void> => {
  const memberships = await listRows(tx.db, contactListMembers, { contactSeq: fromSeq });
  for (const { listId } of memberships) await addMembers(tx, listId, [toSeq], now);
};
