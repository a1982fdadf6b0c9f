/** The contacts of a workspace, for agents and persons alike. */

import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { ContactId, WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, cutPage, type Page, readPage, withinSize } from '../../kernel/page.ts';
import {
  keepContactsApart,
  listAdjacentPairs,
  listContactsApart,
  listSharedKeys,
} from '../../store/contacts/contact-duplicates.ts';
import { KEY_KIND } from '../../store/contacts/contact-keys.ts';
import { copyMemberships } from '../../store/contacts/contact-lists.ts';
import { contactName } from '../../store/contacts/contact-name.ts';
import {
  deleteContact,
  findContact,
  findContactsBySeq,
  insertContacts,
  listContacts,
  updateContact,
} from '../../store/contacts/contacts.ts';
import type { Contact, StoredMemory } from '../../store/contacts/contacts-mappings.ts';
import { isAligned } from '../../store/mail/mail-mappings.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { NoteMaker } from '../../store/notes/notes-mappings.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { EMPTY_CONTENT, newContact, requireName, requireRoom, toChanges } from './contact-changes.ts';
import { lookUpContacts, searchContacts } from './find-contacts.ts';
import type { ContactInput } from './input-contract.ts';
import { MAX_MEMORIES, MAX_PAGE_CHARS } from './limits-contract.ts';
import { mergeContacts } from './merge-contacts.ts';

export type ContactBookNeeds = Needs<'store' | 'clock' | 'newId'>;

/** Pairs declared different, in a workspace. */
const MAX_APART = 1_000;

interface ListQuery {
  q?: string | undefined;
  lookup?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** `exact`: how many of the first contacts match the address or number exactly; null without a look-up. */
export interface ContactPage extends Page<Contact> {
  exact: number | null;
}

export interface DuplicatePair {
  reason: 'email' | 'phone' | 'name';
  value: string;
  contacts: [Contact, Contact];
}

const REASONS = ['email', 'phone', 'name'] as const;

const bySeq = byPosition(({ seq }: Contact) => seq);

const countChars = ({ notes, channels, memories }: Contact): number =>
  (notes?.length ?? 0) +
  channels.reduce((sum, { value }) => sum + value.length, 0) +
  memories.reduce((sum, { fact }) => sum + fact.length, 0);

/** The first contacts that fit into {@link MAX_PAGE_CHARS}; at least one. */
export const withinPage = (rows: readonly Contact[]): Contact[] => withinSize(rows, countChars, MAX_PAGE_CHARS);

/** @throws ApiError contact_not_found */
export const requireContact = async (db: Db, workspaceId: WorkspaceId, id: ContactId): Promise<Contact> =>
  requireFound(await findContact(db, workspaceId, id), 'contact_not_found');

/** A fact as given. */
export interface SaidFact {
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

export const createContactBook = ({ store, clock, newId }: ContactBookNeeds) => {
  const { read } = store;

  return {
    list: async (workspaceId: WorkspaceId, { q, lookup, ...page }: ListQuery): Promise<ContactPage> => {
      if (q !== undefined && lookup !== undefined) {
        throw new ApiError('invalid_request', { hint: 'Give `q` or `lookup`, not both.' });
      }
      if (lookup !== undefined) {
        const { seqs, exact } = await lookUpContacts(read, workspaceId, lookup, page.limit);
        const rows = withinPage(await findContactsBySeq(read, seqs));
        return { rows, next_cursor: null, exact: rows.filter(({ seq }) => exact.has(seq)).length };
      }
      if (q !== undefined) {
        const found = await searchContacts(read, workspaceId, q, page);
        const rows = await findContactsBySeq(read, found.seqs);
        const shown = withinPage(rows);
        const isWhole = shown.length === rows.length;
        const next_cursor = isWhole ? found.next_cursor : found.cursorAfter(shown.at(-1)?.seq);
        return { rows: shown, next_cursor, exact: null };
      }
      const whole = await readPage<Contact, number>(page, bySeq, (before, limit) =>
        listContacts(read, workspaceId, before, limit),
      );
      return { ...cutPage(whole, bySeq, withinPage(whole.rows)), exact: null };
    },

    create: (workspaceId: WorkspaceId, input: ContactInput): Promise<Contact> => {
      const content = { ...EMPTY_CONTENT, ...toChanges(input) };
      requireName(content);
      const contact = newContact({ newId, now: clock.now() }, workspaceId, content);
      return store.write(async (tx) => {
        await requireRoom(tx.db, workspaceId, 1);
        const [stored] = await insertContacts(tx, workspaceId, [contact]);
        if (!stored) throw new Error('No contact was stored.');
        return stored;
      });
    },

    update: (workspaceId: WorkspaceId, id: ContactId, input: ContactInput): Promise<Contact> => {
      const changes = toChanges(input);
      if (Object.keys(changes).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const before = await requireContact(tx.db, workspaceId, id);
        const after = { ...before, ...changes, updatedAt: clock.now() };
        // A contact imported without a name may stay without one.
        if (contactName(before) !== '') requireName(after);
        await updateContact(tx, before, after);
        return after;
      });
    },

    remember: (workspaceId: WorkspaceId, id: ContactId, said: SaidFact): Promise<StoredMemory> => {
      const memory: StoredMemory = { ...toMemory(said), id: newId<'memory'>(), createdAt: clock.now() };
      return store.write(async (tx) => {
        const before = await requireContact(tx.db, workspaceId, id);
        if (before.memories.length >= MAX_MEMORIES) {
          const hint = `A contact has at most ${MAX_MEMORIES} memories. Put what lasts into its \`notes\`.`;
          throw new ApiError('invalid_request', { hint });
        }
        const after = { ...before, memories: [...before.memories, memory], updatedAt: memory.createdAt };
        await updateContact(tx, before, after);
        return memory;
      });
    },

    /** @param said null: the fact is deleted. @returns the fact: before its deletion, or changed */
    changeFact: (
      workspaceId: WorkspaceId,
      id: ContactId,
      factId: StoredMemory['id'],
      said: SaidFact | null,
    ): Promise<StoredMemory> =>
      store.write(async (tx) => {
        const before = await requireContact(tx.db, workspaceId, id);
        const known = requireFound(
          before.memories.find((memory) => memory.id === factId),
          'fact_not_found',
        );
        // A fact from a mail keeps that source, however it is reworded. Text by another maker does not: the mail's
        // authentication proves nothing for it.
        const isKept =
          said?.message === null && (known.authenticated !== true || isSameMaker(known.saidBy, said.saidBy));
        const kept = said && isKept ? { ...known, fact: said.fact, saidBy: said.saidBy } : null;
        const now = said && (kept ?? { ...known, ...toMemory(said) });
        const memories = before.memories.flatMap((memory) => (memory.id !== factId ? [memory] : now ? [now] : []));
        await updateContact(tx, before, { ...before, memories, updatedAt: clock.now() });
        return now ?? known;
      }),

    remove: (workspaceId: WorkspaceId, id: ContactId): Promise<void> =>
      store.write(async (tx) => deleteContact(tx, await requireContact(tx.db, workspaceId, id))),

    /** Each pair once, by the first reason it has. */
    duplicates: async (workspaceId: WorkspaceId, limit: number): Promise<DuplicatePair[]> => {
      const pairs = new Map<string, DuplicatePair>();
      const apart = new Set((await listContactsApart(read, workspaceId, MAX_APART)).map((pair) => pair.join()));
      const most = 2 * limit + apart.size;
      for (const reason of REASONS) {
        const kind = KEY_KIND[reason];
        // Pairs found by an earlier reason are fewer than the limit.
        for (const key of await listSharedKeys(read, workspaceId, kind, most)) {
          if (pairs.size >= limit) break;
          for (const seqs of await listAdjacentPairs(read, workspaceId, kind, key, most)) {
            const place = seqs.join();
            if (pairs.has(place) || apart.has(seqs.toSorted((a, b) => a - b).join()) || pairs.size >= limit) continue;
            const [first, second] = await findContactsBySeq(read, seqs);
            if (first && second) pairs.set(place, { reason, value: key, contacts: [first, second] });
          }
        }
      }
      const shown = withinPage([...pairs.values()].flatMap(({ contacts }) => contacts)).length;
      return [...pairs.values()].slice(0, Math.max(1, Math.floor(shown / 2)));
    },

    keepApart: (workspaceId: WorkspaceId, oneId: ContactId, otherId: ContactId): Promise<void> =>
      store.write(async (tx) => {
        const one = await requireContact(tx.db, workspaceId, oneId);
        const other = await requireContact(tx.db, workspaceId, otherId);
        const pairs = await listContactsApart(tx.db, workspaceId, MAX_APART);
        if (one.seq === other.seq || pairs.length >= MAX_APART) {
          throw new ApiError('invalid_request', {
            hint:
              one.seq === other.seq
                ? 'A contact is not kept apart from itself: give two ids.'
                : `At most ${MAX_APART} pairs are kept apart.`,
          });
        }
        await keepContactsApart(tx, workspaceId, [one.seq, other.seq]);
      }),

    merge: (workspaceId: WorkspaceId, survivorId: ContactId, loserId: ContactId): Promise<Contact> => {
      if (survivorId === loserId) {
        throw new ApiError('invalid_request', { hint: 'A contact is not merged with itself: give two ids.' });
      }
      return store.write(async (tx) => {
        const survivor = await requireContact(tx.db, workspaceId, survivorId);
        const loser = await requireContact(tx.db, workspaceId, loserId);
        const now = clock.now();
        const merged = mergeContacts(survivor, loser, now);
        await copyMemberships(tx, loser.seq, survivor.seq, now);
        await deleteContact(tx, loser);
        await updateContact(tx, survivor, merged);
        return merged;
      });
    },
  };
};
