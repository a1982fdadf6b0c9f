/** The contact lists resource. */

import type { Handlers } from '../../../kernel/handlers.ts';
import type { ContactBookNeeds } from '../contact-book.ts';
import { viewContact } from '../view.ts';
import type { contactListsContract } from './contract.ts';
import { createListBook } from './list-book.ts';
import { viewContactList } from './view.ts';

export const createContactLists = (needs: ContactBookNeeds): Handlers<typeof contactListsContract> => {
  const book = createListBook(needs);
  return {
    list: async ({ workspaceId }) => ({ lists: (await book.list(workspaceId)).map(viewContactList) }),

    create: async ({ workspaceId }, { name, description }) =>
      viewContactList(await book.create(workspaceId, { name, description: description || null })),

    get: async ({ workspaceId }, { id, limit, offset }) => {
      const { list, members, nextOffset } = await book.members(workspaceId, id, limit, offset);
      return { ...viewContactList(list), offset, next_offset: nextOffset, members: members.map(viewContact) };
    },

    update: async ({ workspaceId }, { id, name, description }) =>
      viewContactList(
        await book.update(workspaceId, id, {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description: description || null }),
        }),
      ),

    remove: async ({ workspaceId }, { id }) => {
      await book.remove(workspaceId, id);
      return { deleted: true };
    },

    addMembers: async ({ workspaceId }, { id, contact_ids }) => ({
      added: await book.addMembers(workspaceId, id, contact_ids),
    }),

    removeMembers: async ({ workspaceId }, { id, contact_ids }) => ({
      removed: await book.removeMembers(workspaceId, id, contact_ids),
    }),
  };
};
