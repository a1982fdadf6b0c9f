/** The contacts resource: contacts are the workspace's, whichever of its agents asks. */

import { findMaker } from '../../access/maker.ts';
import type { Place, PlaceHandlers } from '../../access/reach.ts';
import { callerOccupant } from '../../budget/occupant.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ContactId, Id, MessageId } from '../../kernel/ids.ts';
import { type Handlers, StreamReply } from '../../kernel/operation.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { type ContactBookNeeds, createContactBook, requireContact, type SaidFact } from './contact-book.ts';
import { type ContactView, type contactsContract, VCARD } from './contract.ts';
import { exportBook, exportContact } from './exchange/export-contacts.ts';
import { createContactImport, type ImportNeeds } from './exchange/import-contacts.ts';
import { requireCreated } from './exchange/no-valid-cards.ts';
import type { factOperations } from './facts/contract.ts';
import type { ContactInput } from './input-contract.ts';
import { MAX_CARDS } from './limits-contract.ts';
import { viewContact, viewMemory } from './view.ts';

type FactId = Id<'memory'>;

/** Persons create contacts one at a time, and import them by operations of their own. */
type Shared = Omit<typeof contactsContract, 'lookup' | 'create' | keyof typeof factOperations>;

/** What agents and persons do alike. */
export const createContactHandlers = (needs: ContactBookNeeds) => {
  const book = createContactBook(needs);
  const handlers: PlaceHandlers<Shared> = {
    list: async ({ workspaceId }, query) => {
      const { rows, next_cursor, exact } = await book.list(workspaceId, query);
      return { contacts: rows.map(viewContact), next_cursor, exact };
    },

    get: async ({ workspaceId }, { id }) => viewContact(await book.get(workspaceId, id)),

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
    create: async ({ workspaceId }: Place, input: ContactInput) => viewContact(await book.create(workspaceId, input)),
    remember: async ({ workspaceId }: Place, id: ContactId, said: SaidFact) =>
      viewMemory(await book.remember(workspaceId, id, said)),
    changeFact: async ({ workspaceId }: Place, id: ContactId, factId: FactId, said: SaidFact | null) =>
      viewMemory(await book.changeFact(workspaceId, id, factId, said)),
  };
};

/** The one field that stands in the place of all others. */
const requireAlone = (input: object): void => {
  const [other] = Object.keys(input);
  if (other === undefined) return;
  throw new ApiError('invalid_request', { hint: `Give \`vcard\` alone, without \`${other}\`.` });
};

const toStream = (chunks: AsyncIterable<string>): StreamReply => new StreamReply(VCARD, 'contacts.vcf', chunks);

export const createContacts = (needs: ImportNeeds): Handlers<typeof contactsContract> => {
  const { remember, changeFact, create, ...handlers } = createContactHandlers(needs);
  const { importVCards } = createContactImport(needs);
  const { read } = needs.store;

  const toSaid = async (
    caller: AgentCaller,
    { fact, message_id: id }: { fact: string; message_id?: MessageId | undefined },
  ): Promise<SaidFact> => {
    // Of the caller's own mailbox.
    const message = id === undefined ? null : await findMessage(read, mailboxOf(caller), id);
    if (id !== undefined && !message) throw new ApiError('message_not_found');
    const { maker } = await findMaker(read, caller, needs.clock.now());
    return { fact, message, saidBy: maker };
  };

  return {
    ...handlers,
    list: async (caller, query, call) =>
      call.mediaType === VCARD ? toStream(exportBook(read, caller.workspaceId)) : handlers.list(caller, query, call),
    get: async (caller, input, call) => {
      if (call.mediaType !== VCARD) return handlers.get(caller, input, call);
      return toStream(exportContact(await requireContact(read, caller.workspaceId, input.id)));
    },
    create: async (caller, { vcard, ...input }) => {
      if (vcard === undefined) return create(caller, input);
      requireAlone(input);
      const created: ContactView[] = [];
      const given = { file: vcard, occupant: callerOccupant(caller), most: MAX_CARDS };
      const failed = await importVCards(caller.workspaceId, given, (contacts) => {
        created.push(...contacts.map(viewContact));
      });
      requireCreated(created.length, failed);
      return { created, failed };
    },
    lookup: handlers.list,
    remember: async (caller, { id, ...said }) => remember(caller, id, await toSaid(caller, said)),
    updateFact: async (caller, { id, fact_id, ...said }) => changeFact(caller, id, fact_id, await toSaid(caller, said)),
    forgetFact: async (caller, { id, fact_id }) => {
      await changeFact(caller, id, fact_id, null);
      return { deleted: true };
    },
  };
};
