/** Reads the contacts of a workspace: one, a page of them, and those that may be one person. */

import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { ContactId, WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, cutPage, type Page, readPage, withinSize } from '../../kernel/page.ts';
import { listAdjacentPairs, listContactsApart, listSharedKeys } from '../../store/contacts/contact-duplicates.ts';
import { KEY_KIND } from '../../store/contacts/contact-keys.ts';
import { findContact, findContactsBySeq, listContacts } from '../../store/contacts/contacts.ts';
import type { Contact } from '../../store/contacts/contacts-mappings.ts';
import type { Db } from '../../store/store.ts';
import { lookUpContacts, searchContacts } from './find-contacts.ts';
import { MAX_PAGE_CHARS } from './limits-contract.ts';

/** Pairs declared different, in a workspace. */
export const MAX_APART = 1_000;

interface ListQuery {
  q?: string | undefined;
  lookup?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

interface DuplicatePair {
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

/** `exact`: how many of the first contacts match the address or number exactly; null without a look-up. */
export const listBook = async (
  read: Db,
  workspaceId: WorkspaceId,
  { q, lookup, ...page }: ListQuery,
): Promise<Page<Contact> & { exact: number | null }> => {
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
};

/** Each pair once, by the first reason it has. */
export const findDuplicates = async (read: Db, workspaceId: WorkspaceId, limit: number): Promise<DuplicatePair[]> => {
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
};
