/** The contact lists resource, for agents and persons alike. */

import { viewOf } from '../../../access/view-of.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { ContactId, WorkspaceId } from '../../../kernel/ids.ts';
import {
  addMembers,
  deleteList,
  findListByName,
  listLists,
  listMembers,
  removeMembers,
  updateList,
} from '../../../store/contacts/contact-lists.ts';
import { findContactSeqs } from '../../../store/contacts/contacts.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { withinPage } from '../contact-book.ts';
import { viewContact } from '../view.ts';
import { addList, requireList } from './add-list.ts';
import { contactListShape, type contactListsContract } from './contract.ts';

const viewContactList = viewOf(contactListShape);

/** @throws ApiError contact_not_found that names the first unknown id */
const requireSeqs = async (db: Db, workspaceId: WorkspaceId, ids: readonly ContactId[]): Promise<number[]> => {
  const seqs = await findContactSeqs(db, workspaceId, ids);
  return seqs.map((seq, at) => {
    if (seq !== null) return seq;
    throw new ApiError('contact_not_found', { hint: `No contact of this workspace has the id ${ids[at]}.` });
  });
};

export const createContactLists = (
  needs: Needs<'store' | 'clock' | 'newId'>,
): Handlers<typeof contactListsContract> => {
  const { store, clock } = needs;
  const { read } = store;

  return {
    list: async ({ workspaceId }) => ({
      lists: (await listLists(read, workspaceId)).map(viewContactList),
    }),

    create: ({ workspaceId }, { name, description }) =>
      store.write(async (tx) =>
        viewContactList(await addList(tx, needs, workspaceId, { name, description: description || null })),
      ),

    get: async ({ workspaceId }, { id, limit, offset }) => {
      const list = await requireList(read, workspaceId, id);
      // An offset beyond the last member needs no query.
      const members = withinPage(offset < list.memberCount ? await listMembers(read, id, limit, offset) : []);
      const end = offset + members.length;
      const next_offset = members.length > 0 && end < list.memberCount ? end : null;
      return { ...viewContactList(list), offset, next_offset, members: members.map(viewContact) };
    },

    update: async ({ workspaceId }, { id, name, description }) => {
      const content = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description: description || null }),
      };
      if (Object.keys(content).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const list = await requireList(tx.db, workspaceId, id);
        const named = name === undefined ? null : await findListByName(tx.db, workspaceId, name);
        if (named && named.id !== id) throw new ApiError('list_name_taken');
        const updatedAt = clock.now();
        await updateList(tx, id, content, updatedAt);
        return viewContactList({ ...list, ...content, updatedAt });
      });
    },

    remove: ({ workspaceId }, { id }, { record }) =>
      store.write(async (tx) => {
        const { name } = await requireList(tx.db, workspaceId, id);
        await deleteList(tx, id);
        return record(tx, { workspaceId, subject: name }, { deleted: true });
      }),

    addMembers: ({ workspaceId }, { id, contact_ids: ids }) =>
      store.write(async (tx) => {
        await requireList(tx.db, workspaceId, id);
        return { added: await addMembers(tx, id, await requireSeqs(tx.db, workspaceId, ids), clock.now()) };
      }),

    removeMembers: ({ workspaceId }, { id, contact_ids: ids }) =>
      store.write(async (tx) => {
        await requireList(tx.db, workspaceId, id);
        return { removed: await removeMembers(tx, id, await requireSeqs(tx.db, workspaceId, ids), clock.now()) };
      }),
  };
};
