/** The contacts resource. Every agent and owner of a workspace has the same contacts. */

import { findMaker } from '../../access/maker.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import { isPerson, mailboxOf, type WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { MessageId, WorkspaceId } from '../../kernel/ids.ts';
import { StreamReply } from '../../kernel/operation.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { createContactBook, requireContact, type SaidFact } from './contact-book.ts';
import { type ContactView, type contactsContract, VCARD } from './contract.ts';
import { exportBook, exportContact } from './exchange/export-contacts.ts';
import { createContactImport, type ImportNeeds } from './exchange/import-contacts.ts';
import { requireCreated } from './exchange/no-valid-cards.ts';
import { MAX_CARDS } from './limits-contract.ts';
import { viewContact, viewMemory } from './view.ts';

/** `vcard` excludes all other fields. */
const requireAlone = (input: object): void => {
  const [other] = Object.keys(input);
  if (other === undefined) return;
  throw new ApiError('invalid_request', { hint: `Give \`vcard\` alone, without \`${other}\`.` });
};

const toStream = (chunks: AsyncIterable<string>): StreamReply => new StreamReply(VCARD, 'contacts.vcf', chunks);

export const createContacts = (needs: ImportNeeds): Handlers<typeof contactsContract> => {
  const { read } = needs.store;
  const book = createContactBook(needs);
  const { importVCards } = createContactImport(needs);

  const list = async (workspaceId: WorkspaceId, query: Parameters<typeof book.list>[1]) => {
    const { rows, next_cursor, exact } = await book.list(workspaceId, query);
    return { contacts: rows.map(viewContact), next_cursor, exact };
  };

  const toSaid = async (
    caller: WorkspaceCaller,
    { fact, message_id: id }: { fact: string; message_id?: MessageId | undefined },
  ): Promise<SaidFact> => {
    // A message of the caller's own mailbox.
    const message = id === undefined || isPerson(caller) ? null : await findMessage(read, mailboxOf(caller), id);
    if (id !== undefined && !message) throw new ApiError('message_not_found');
    const { maker } = await findMaker(read, caller, needs.clock.now());
    return { fact, message, saidBy: maker };
  };

  return {
    list: async ({ workspaceId }, query, call) =>
      call.mediaType === VCARD ? toStream(exportBook(read, workspaceId)) : list(workspaceId, query),

    lookup: ({ workspaceId }, query) => list(workspaceId, query),

    get: async ({ workspaceId }, { id }, call) => {
      const contact = await requireContact(read, workspaceId, id);
      return call.mediaType === VCARD ? toStream(exportContact(contact)) : viewContact(contact);
    },

    create: async (caller, { vcard, ...input }) => {
      const { workspaceId } = caller;
      if (vcard === undefined) return viewContact(await book.create(workspaceId, input));
      requireAlone(input);
      const created: ContactView[] = [];
      const given = { file: vcard, quotaSubject: toQuotaSubject(caller), most: MAX_CARDS };
      const failed = await importVCards(workspaceId, given, (contacts) => {
        created.push(...contacts.map(viewContact));
      });
      requireCreated(created.length, failed);
      return { created, failed };
    },

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

    keepApart: async ({ workspaceId }, { one_id, other_id }) => {
      await book.keepApart(workspaceId, one_id, other_id);
      return { kept_apart: true };
    },

    merge: async ({ workspaceId }, { survivor_id, loser_id }) =>
      viewContact(await book.merge(workspaceId, survivor_id, loser_id)),

    remember: async (caller, { id, ...said }) =>
      viewMemory(await book.remember(caller.workspaceId, id, await toSaid(caller, said))),

    updateFact: async (caller, { id, fact_id, ...said }) =>
      viewMemory(await book.changeFact(caller.workspaceId, id, fact_id, await toSaid(caller, said))),

    forgetFact: async ({ workspaceId }, { id, fact_id }) => {
      await book.changeFact(workspaceId, id, fact_id, null);
      return { deleted: true };
    },
  };
};
