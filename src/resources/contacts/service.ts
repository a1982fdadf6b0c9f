/** The contacts resource. Every agent and owner of a workspace has the same contacts. */

import { findMaker } from '../../access/maker.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import { isPerson, mailboxOf, type WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { ContactId, MessageId, WorkspaceId } from '../../kernel/ids.ts';
import { StreamReply } from '../../kernel/operation.ts';
import { keepContactsApart, listContactsApart } from '../../store/contacts/contact-duplicates.ts';
import { copyMemberships } from '../../store/contacts/contact-lists.ts';
import { contactName, displayName } from '../../store/contacts/contact-name.ts';
import { deleteContact, insertContacts, updateContact } from '../../store/contacts/contacts.ts';
import type { StoredMemory } from '../../store/contacts/contacts-mappings.ts';
import { isAligned } from '../../store/mail/mail-mappings.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { findMessage } from '../../store/mail/messages.ts';
import type { NoteMaker } from '../../store/notes/notes-mappings.ts';
import { findDuplicates, listBook, MAX_APART, requireContact } from './contact-book.ts';
import { EMPTY_CONTENT, newContact, requireName, requireRoom, toChanges } from './contact-changes.ts';
import { type ContactView, type contactsContract, VCARD } from './contract.ts';
import { exportBook, exportContact } from './exchange/export-contacts.ts';
import { createContactImport, type ImportNeeds } from './exchange/import-contacts.ts';
import { requireCreated } from './exchange/no-valid-cards.ts';
import type { ContactInput } from './input-contract.ts';
import { MAX_CARDS, MAX_MEMORIES } from './limits-contract.ts';
import { mergeContacts } from './merge-contacts.ts';
import { viewContact, viewMemory } from './view.ts';

/** `vcard` excludes all other fields. */
const requireAlone = (input: object): void => {
  const [other] = Object.keys(input);
  if (other === undefined) return;
  throw new ApiError('invalid_request', { hint: `Give \`vcard\` alone, without \`${other}\`.` });
};

const toStream = (chunks: AsyncIterable<string>): StreamReply => new StreamReply(VCARD, 'contacts.vcf', chunks);

/** A fact as given. */
interface SaidFact {
  fact: string;
  saidBy: NoteMaker;
  /** The message with the fact. */
  message: StoredMessage | null;
}

const isSameMaker = (one: NoteMaker | undefined, other: NoteMaker): boolean =>
  one?.makerKind === other.makerKind && one.makerId === other.makerId;

const toMemory = ({ fact, saidBy, message }: SaidFact): Omit<StoredMemory, 'id' | 'createdAt'> => {
  const received = message?.direction === 'in' ? message : null;
  return {
    fact,
    saidBy,
    messageId: message?.id ?? null,
    messageFrom: received?.from.address ?? null,
    authenticated: received && isAligned(received),
  };
};

export const createContacts = (needs: ImportNeeds): Handlers<typeof contactsContract> => {
  const { store, clock, newId } = needs;
  const { read } = store;
  const { importVCards } = createContactImport(needs);

  const list = async (workspaceId: WorkspaceId, query: Parameters<typeof listBook>[2]) => {
    const { rows, next_cursor, exact } = await listBook(read, workspaceId, query);
    return { contacts: rows.map(viewContact), next_cursor, exact };
  };

  const create = async (workspaceId: WorkspaceId, input: ContactInput): Promise<ContactView> => {
    const content = { ...EMPTY_CONTENT, ...toChanges(input) };
    requireName(content);
    const contact = newContact({ newId, now: clock.now() }, workspaceId, content);
    const [stored] = await store.write(async (tx) => {
      await requireRoom(tx.db, workspaceId);
      return insertContacts(tx, workspaceId, [contact]);
    });
    if (!stored) throw new Error('No contact was stored.');
    return viewContact(stored);
  };

  const toSaid = async (
    caller: WorkspaceCaller,
    { fact, message_id: id }: { fact: string; message_id?: MessageId | undefined },
  ): Promise<SaidFact> => {
    // A message of the caller's own mailbox.
    const message = id === undefined || isPerson(caller) ? null : await findMessage(read, mailboxOf(caller), id);
    if (id !== undefined && !message) throw new ApiError('message_not_found');
    const { maker } = await findMaker(read, caller, clock.now());
    return { fact, message, saidBy: maker };
  };

  /** @param change null: the fact is deleted. @returns it as it is then */
  const changeFact = (
    workspaceId: WorkspaceId,
    id: ContactId,
    factId: StoredMemory['id'],
    change: (known: StoredMemory) => StoredMemory | null,
  ) =>
    store.write(async (tx) => {
      const before = await requireContact(tx.db, workspaceId, id);
      const found = before.memories.find((memory) => memory.id === factId);
      const known = requireFound(found, 'fact_not_found');
      const now = change(known);
      const memories = before.memories.flatMap((memory) => (memory !== known ? [memory] : now ? [now] : []));
      await updateContact(tx, before, { ...before, memories, updatedAt: clock.now() });
      return viewMemory(now ?? known);
    });

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
      if (vcard === undefined) return create(workspaceId, input);
      requireAlone(input);
      const created: ContactView[] = [];
      const given = { file: vcard, quotaSubject: toQuotaSubject(caller), most: MAX_CARDS };
      const failed = await importVCards(workspaceId, given, (contacts) => {
        created.push(...contacts.map(viewContact));
      });
      requireCreated(created.length, failed);
      return { created, failed };
    },

    update: async ({ workspaceId }, { id, ...input }) => {
      const changes = toChanges(input);
      if (Object.keys(changes).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const before = await requireContact(tx.db, workspaceId, id);
        const after = { ...before, ...changes, updatedAt: clock.now() };
        // A contact imported without a name may stay without one.
        if (contactName(before) !== '') requireName(after);
        await updateContact(tx, before, after);
        return viewContact(after);
      });
    },

    remove: ({ workspaceId }, { id }, { record }) =>
      store.write(async (tx) => {
        const contact = await requireContact(tx.db, workspaceId, id);
        await deleteContact(tx, contact);
        return record(tx, { workspaceId, subject: displayName(contact) }, { deleted: true });
      }),

    duplicates: async ({ workspaceId }, { limit }) => ({
      pairs: (await findDuplicates(read, workspaceId, limit)).map(({ reason, value, contacts: [first, second] }) => ({
        reason,
        value,
        contacts: [viewContact(first), viewContact(second)],
      })),
    }),

    keepApart: ({ workspaceId }, { one_id, other_id }) =>
      store.write(async (tx) => {
        const one = await requireContact(tx.db, workspaceId, one_id);
        const other = await requireContact(tx.db, workspaceId, other_id);
        const isOne = one.seq === other.seq;
        if (isOne || (await listContactsApart(tx.db, workspaceId, MAX_APART)).length >= MAX_APART) {
          const most = `At most ${MAX_APART} pairs are kept apart.`;
          const hint = isOne ? 'A contact is not kept apart from itself: give two ids.' : most;
          throw new ApiError('invalid_request', { hint });
        }
        await keepContactsApart(tx, workspaceId, [one.seq, other.seq]);
        return { kept_apart: true };
      }),

    merge: async ({ workspaceId }, { survivor_id, loser_id }, { record }) => {
      if (survivor_id === loser_id) {
        throw new ApiError('invalid_request', { hint: 'A contact is not merged with itself: give two ids.' });
      }
      return store.write(async (tx) => {
        const survivor = await requireContact(tx.db, workspaceId, survivor_id);
        const loser = await requireContact(tx.db, workspaceId, loser_id);
        const now = clock.now();
        const merged = mergeContacts(survivor, loser, now);
        await copyMemberships(tx, loser.seq, survivor.seq, now);
        await deleteContact(tx, loser);
        await updateContact(tx, survivor, merged);
        const act = { workspaceId, subject: displayName(merged), detail: { merged: displayName(loser) } };
        return record(tx, act, viewContact(merged));
      });
    },

    remember: async (caller, { id, ...given }) => {
      const said = toMemory(await toSaid(caller, given));
      const memory: StoredMemory = { ...said, id: newId<'memory'>(), createdAt: clock.now() };
      return store.write(async (tx) => {
        const before = await requireContact(tx.db, caller.workspaceId, id);
        if (before.memories.length >= MAX_MEMORIES) {
          const hint = `A contact has at most ${MAX_MEMORIES} memories. Put what lasts into its \`notes\`.`;
          throw new ApiError('invalid_request', { hint });
        }
        const memories = [...before.memories, memory];
        await updateContact(tx, before, { ...before, memories, updatedAt: memory.createdAt });
        return viewMemory(memory);
      });
    },

    updateFact: async (caller, { id, fact_id, ...given }) => {
      const said = await toSaid(caller, given);
      return changeFact(caller.workspaceId, id, fact_id, (known) => {
        // A fact from a mail keeps that source, however it is reworded. Text by another maker does not: the mail's
        // authentication proves nothing for it.
        const isKept =
          said.message === null && (known.authenticated !== true || isSameMaker(known.saidBy, said.saidBy));
        return { ...known, ...(isKept ? { fact: said.fact, saidBy: said.saidBy } : toMemory(said)) };
      });
    },

    forgetFact: async ({ workspaceId }, { id, fact_id }) => {
      await changeFact(workspaceId, id, fact_id, () => null);
      return { deleted: true };
    },
  };
};
