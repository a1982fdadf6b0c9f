/** The contact lists of a workspace, for agents and persons alike. */

import { ApiError } from '../../../kernel/errors.ts';
import type { ContactId, ContactListId, WorkspaceId } from '../../../kernel/ids.ts';
import {
  addMembers,
  type ContactList,
  countLists,
  deleteList,
  findList,
  findListByName,
  insertList,
  listLists,
  listMembers,
  removeMembers,
  updateList,
} from '../../../store/contacts/contact-lists.ts';
import { findContactSeqs } from '../../../store/contacts/contacts.ts';
import type { Contact } from '../../../store/contacts/contacts-mappings.ts';
import type { Db, Tx } from '../../../store/store.ts';
import { type ContactBookNeeds, withinPage } from '../contact-book.ts';
import { MAX_LISTS } from '../limits-contract.ts';

interface ListContent {
  name: string;
  description: string | null;
}

export interface MembersPage {
  list: ContactList;
  members: Contact[];
  /** Null on the last page. */
  nextOffset: number | null;
}

/** @throws ApiError list_not_found */
const requireList = async (db: Db, workspaceId: WorkspaceId, id: ContactListId): Promise<ContactList> => {
  const list = await findList(db, workspaceId, id);
  if (!list) throw new ApiError('list_not_found');
  return list;
};

/** @throws ApiError contact_not_found that names the first unknown id */
const requireSeqs = async (db: Db, workspaceId: WorkspaceId, ids: readonly ContactId[]): Promise<number[]> => {
  const seqs = await findContactSeqs(db, workspaceId, ids);
  return seqs.map((seq, at) => {
    if (seq !== null) return seq;
    throw new ApiError('contact_not_found', { hint: `No contact of this workspace has the id ${ids[at]}.` });
  });
};

/**
 * Adds a list in a transaction with the workspace's lock.
 * @throws ApiError list_name_taken, invalid_request where the workspace has its maximum of lists
 */
export const addList = async (
  tx: Tx,
  { newId, clock }: Pick<ContactBookNeeds, 'newId' | 'clock'>,
  workspaceId: WorkspaceId,
  content: ListContent,
): Promise<ContactList> => {
  if (await findListByName(tx.db, workspaceId, content.name)) throw new ApiError('list_name_taken');
  if ((await countLists(tx.db, workspaceId)) >= MAX_LISTS) {
    throw new ApiError('invalid_request', { hint: `A workspace has at most ${MAX_LISTS} contact lists.` });
  }
  const now = clock.now();
  const list = { id: newId<'contact-list'>(), workspaceId, ...content, memberCount: 0, createdAt: now, updatedAt: now };
  await insertList(tx, list);
  return list;
};

export const createListBook = (needs: ContactBookNeeds) => {
  const { store, clock } = needs;
  const { read } = store;

  return {
    list: (workspaceId: WorkspaceId): Promise<ContactList[]> => listLists(read, workspaceId),

    create: (workspaceId: WorkspaceId, content: ListContent): Promise<ContactList> =>
      store.write((tx) => addList(tx, needs, workspaceId, content)),

    members: async (
      workspaceId: WorkspaceId,
      id: ContactListId,
      limit: number,
      offset: number,
    ): Promise<MembersPage> => {
      const list = await requireList(read, workspaceId, id);
      // An offset beyond the last member needs no query.
      const rows = offset < list.memberCount ? await listMembers(read, id, limit, offset) : [];
      const members = withinPage(rows);
      const end = offset + members.length;
      return { list, members, nextOffset: members.length > 0 && end < list.memberCount ? end : null };
    },

    update: (workspaceId: WorkspaceId, id: ContactListId, content: Partial<ListContent>): Promise<ContactList> => {
      if (Object.keys(content).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const list = await requireList(tx.db, workspaceId, id);
        const named = content.name === undefined ? null : await findListByName(tx.db, workspaceId, content.name);
        if (named && named.id !== id) throw new ApiError('list_name_taken');
        const updatedAt = clock.now();
        await updateList(tx, id, content, updatedAt);
        return { ...list, ...content, updatedAt };
      });
    },

    remove: (workspaceId: WorkspaceId, id: ContactListId): Promise<void> =>
      store.write(async (tx) => {
        await requireList(tx.db, workspaceId, id);
        await deleteList(tx, id);
      }),

    addMembers: (workspaceId: WorkspaceId, id: ContactListId, ids: readonly ContactId[]): Promise<number> =>
      store.write(async (tx) => {
        await requireList(tx.db, workspaceId, id);
        return addMembers(tx, id, await requireSeqs(tx.db, workspaceId, ids), clock.now());
      }),

    removeMembers: (workspaceId: WorkspaceId, id: ContactListId, ids: readonly ContactId[]): Promise<number> =>
      store.write(async (tx) => {
        await requireList(tx.db, workspaceId, id);
        return removeMembers(tx, id, await requireSeqs(tx.db, workspaceId, ids), clock.now());
      }),
  };
};
