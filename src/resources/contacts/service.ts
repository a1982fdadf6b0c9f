/** The contacts resource: contacts are the workspace's, whichever of its agents asks. */

import type { Place, PlaceHandlers } from '../../access/reach.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ContactId, MessageId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { type ContactBookNeeds, createContactBook } from './contact-book.ts';
import type { contactsContract } from './contract.ts';
import { viewContact, viewMemory } from './view.ts';

type Shared = Omit<typeof contactsContract, 'lookup' | 'remember'>;

/** What agents and persons do alike. */
export const createContactHandlers = (needs: ContactBookNeeds) => {
  const book = createContactBook(needs);
  const handlers: PlaceHandlers<Shared> = {
    list: async ({ workspaceId }, query) => {
      const { rows, next_cursor } = await book.list(workspaceId, query);
      return { contacts: rows.map(viewContact), next_cursor };
    },

    get: async ({ workspaceId }, { id }) => viewContact(await book.get(workspaceId, id)),

    create: async ({ workspaceId }, input) => viewContact(await book.create(workspaceId, input)),

    update: async ({ workspaceId }, { id, ...input }) => viewContact(await book.update(workspaceId, id, input)),

    remove: async ({ workspaceId }, { id }) => {
      await book.remove(workspaceId, id);
      return { deleted: true };
    },

    duplicates: async ({ workspaceId }, { limit }) => ({
      pairs: (await book.duplicates(workspaceId, limit)).map(({ reason, value, contacts: [first, second] }) => ({
        reason,
        value,
        contacts: [viewContact(first), viewContact(second)],
      })),
    }),

    merge: async ({ workspaceId }, { survivor_id, loser_id }) =>
      viewContact(await book.merge(workspaceId, survivor_id, loser_id)),
  };
  return {
    ...handlers,
    remember: async ({ workspaceId }: Place, id: ContactId, fact: string, messageId: MessageId | null) =>
      viewMemory(await book.remember(workspaceId, id, { fact, messageId })),
  };
};

export const createContacts = (needs: ContactBookNeeds): Handlers<typeof contactsContract> => {
  const { remember, ...handlers } = createContactHandlers(needs);
  return {
    ...handlers,
    lookup: handlers.list,
    remember: async (caller, { id, fact, message_id }) => {
      // Of the caller's own mailbox.
      const message =
        message_id === undefined ? null : await findMessage(needs.store.read, mailboxOf(caller), message_id);
      if (message_id !== undefined && !message) throw new ApiError('message_not_found');
      return remember(caller, id, fact, message?.id ?? null);
    },
  };
};
