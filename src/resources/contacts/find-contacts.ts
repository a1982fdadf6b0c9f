/** Finds contacts by words of their text, and by e-mail address or phone number, whole or in part. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { phoneKey, toE164 } from '../../contacts/phone.ts';
import { addressKey, parseAddress } from '../../kernel/address.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { queryWords } from '../../kernel/text/query-words.ts';
import { findSeqsByKey, findSeqsByPrefix, KEY_KIND, phoneEnd } from '../../store/contacts/contact-keys.ts';
import { contactTexts } from '../../store/contacts/contacts.ts';
import { searchWords, type WordKind, type WordPage } from '../../store/search/word-search.ts';
import type { Db } from '../../store/store.ts';

/** Contacts that match by name, address or domain precede matches in other text. */
const EVERYWHERE: readonly WordKind[] = ['w', 't'];
const IDENTITY: readonly WordKind[] = ['w'];

/** Contacts in which every word of `text` begins a word: newest first under each matching word. */
export const searchContacts = (
  db: Db,
  workspaceId: WorkspaceId,
  text: string,
  page: { limit: number; cursor?: string | undefined },
): Promise<WordPage> => {
  const search = { workspaceId, words: queryWords(text), kinds: EVERYWHERE, readers: null, ...page };
  return searchWords(db, contactTexts, search, yieldToLoop);
};

/** Fewest digits that identify a number without its country or area. */
const LEAST_DIGITS = 3;
const LEAST_END = 7;

const PHONE = /^[+\uff0b\p{Nd}\s()./-]+$/u;

/** Contacts by their seqs, each once. */
interface FoundByChannel {
  exact: number[];
  partial: number[];
}

/** Prefixes of a number within its country, or abroad where the country is not stated. */
const TRUNK_PREFIXES = ['', '0', '00'];

/** Contacts with a number stored without its country that matches the end of `key`. */
const findWithoutCountry = async (db: Db, workspaceId: WorkspaceId, key: string, limit: number): Promise<number[]> => {
  const digits = key.replace(/;.*/, '').slice(1);
  const found: number[] = [];
  for (let from = 0; digits.length - from >= LEAST_END; from += 1) {
    for (const prefix of TRUNK_PREFIXES) {
      found.push(...(await findSeqsByKey(db, workspaceId, KEY_KIND.phone, prefix + digits.slice(from), limit)));
    }
  }
  return found;
};

/** Finds a number in E.164: only within its country, and also with an extension. */
const findByWholePhone = async (db: Db, workspaceId: WorkspaceId, key: string, limit: number) => ({
  exact: await findSeqsByKey(db, workspaceId, KEY_KIND.phone, key, limit),
  partial: [
    ...(await findSeqsByPrefix(db, workspaceId, KEY_KIND.phone, `${key};ext=`, limit)),
    ...(await findWithoutCountry(db, workspaceId, key, limit)),
  ],
});

const findByPhone = async (db: Db, workspaceId: WorkspaceId, text: string, limit: number): Promise<FoundByChannel> => {
  const key = phoneKey(text);
  const exact = await findSeqsByKey(db, workspaceId, KEY_KIND.phone, key, limit);
  const end = phoneEnd(key);
  if (end.length < LEAST_DIGITS) return { exact, partial: [] };
  const endings = await findSeqsByPrefix(db, workspaceId, KEY_KIND.phoneEnd, end, limit);
  const shorter: number[] = [];
  // Numbers stored without their area.
  for (let digits = end.length - 1; digits >= LEAST_END; digits -= 1) {
    shorter.push(...(await findSeqsByKey(db, workspaceId, KEY_KIND.phoneEnd, end.slice(0, digits), limit)));
  }
  const beginnings = await findSeqsByPrefix(db, workspaceId, KEY_KIND.phone, key, limit);
  const digits = key.startsWith('+') ? [] : await findSeqsByPrefix(db, workspaceId, KEY_KIND.phone, `+${key}`, limit);
  return { exact, partial: [...endings, ...shorter, ...beginnings, ...digits] };
};

const findByEmail = async (db: Db, workspaceId: WorkspaceId, key: string, limit: number): Promise<FoundByChannel> => ({
  exact: await findSeqsByKey(db, workspaceId, KEY_KIND.email, key, limit),
  partial: await findSeqsByPrefix(db, workspaceId, KEY_KIND.email, key, limit),
});

const findByWords = async (db: Db, workspaceId: WorkspaceId, text: string, limit: number): Promise<number[]> => {
  const search = { workspaceId, words: queryWords(text), kinds: IDENTITY, readers: null, limit };
  return (await searchWords(db, contactTexts, search, yieldToLoop)).seqs;
};

/** The key of a number that begins with its country and has more digits than an end of one. */
const wholePhoneKey = (text: string): string | null => {
  const key = toE164(text) === null ? '' : phoneKey(text);
  return phoneEnd(key).length > LEAST_END ? key : null;
};

const findByChannel = async (
  db: Db,
  workspaceId: WorkspaceId,
  text: string,
  limit: number,
): Promise<FoundByChannel> => {
  const address = parseAddress(text);
  const key = address ? addressKey(address) : text.toLowerCase();
  // The words of a whole address also match other people.
  if (address && /@.+\../.test(address)) return findByEmail(db, workspaceId, key, limit);
  const phone = wholePhoneKey(text);
  if (phone !== null) return findByWholePhone(db, workspaceId, phone, limit);
  const isPhone = PHONE.test(text) && /\p{Nd}/u.test(text);
  const { exact, partial } = await (isPhone
    ? findByPhone(db, workspaceId, text, limit)
    : findByEmail(db, workspaceId, key, limit));
  return { exact, partial: [...partial, ...(await findByWords(db, workspaceId, text, limit))] };
};

/**
 * Contacts with that e-mail address or phone number, then similar ones. For a whole address: contacts with an address
 * that begins with it. For a number in E.164: stored numbers without a country that match its end. For other text: the
 * beginning of an address, an end or beginning of a number, beginnings of words of an address, a domain or a name.
 */
export const lookUpContacts = async (
  db: Db,
  workspaceId: WorkspaceId,
  text: string,
  limit: number,
): Promise<{ seqs: number[]; exact: ReadonlySet<number> }> => {
  const { exact, partial } = await findByChannel(db, workspaceId, text, limit);
  return { seqs: [...new Set([...exact, ...partial])].slice(0, limit), exact: new Set(exact) };
};
