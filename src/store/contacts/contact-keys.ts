/** The search entries of a contact: its words, and one row for each key, newest contacts first under each. */

import { sql } from 'kysely';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { foldText, wordsOf } from '../../kernel/text/fold.ts';
import { preparedListInsert } from '../prepared-insert.ts';
import { preparedListSelect } from '../prepared-statement.ts';
import { atLeast, countUpTo, deleteRows, listRows, listValues, not } from '../rows.ts';
import { putWords, type Word } from '../search/word-search.ts';
import type { Db, Tx } from '../store.ts';
import { contactName } from './contact-name.ts';
import { type Contact, contactKeys, contactSharedKeys } from './contacts-mappings.ts';

export const KEY_KIND = { email: 1, phone: 2, phoneEnd: 3, domain: 4, name: 5 } as const;
export type KeyKind = (typeof KEY_KIND)[keyof typeof KEY_KIND];

/** Keys that make two contacts candidates for a merge. */
export const SHARED_KINDS: readonly KeyKind[] = [KEY_KIND.email, KEY_KIND.phone, KEY_KIND.name];

/** Distinct words of a contact that are searchable; further ones are stored only. */
const MAX_WORDS = 500;
const MAX_TEXT_WORDS = 2_000;

interface Key {
  kind: KeyKind;
  key: string;
}

/** A phone number's digits from its end, without its extension and the zero that some countries put before an area: +49 30 is 030. */
export const phoneEnd = (phone: string): string =>
  [...phone.replace(/;.*/, '').replace(/\D/g, '').replace(/^0+/, '')].reverse().join('');

const phonesOf = ({ channels }: Contact): string[] =>
  channels.filter(({ kind }) => kind === 'phone').map(({ key }) => key);

/** Words of names, companies, channels and domains, and then those of other text. */
export const contactWords = (contact: Contact): Word[] => {
  const { channels, domains, notes, jobTitle, memories } = contact;
  const identity = [
    ...[contact.givenName, contact.familyName, contact.preferredName, contact.companyName],
    ...channels.map(({ value }) => value),
    ...phonesOf(contact),
    ...domains,
  ];
  const words = wordsOf(identity.filter(Boolean).join(' \n'), MAX_WORDS);
  const known = new Set(words);
  const facts = memories.map(({ fact }) => fact);
  const text = wordsOf([jobTitle, notes, ...facts].filter(Boolean).join(' \n'), MAX_TEXT_WORDS);
  return [
    ...words.map((word): Word => ({ kind: 'w', word })),
    ...text.filter((word) => !known.has(word)).map((word): Word => ({ kind: 't', word })),
  ];
};

/** Replaces what contacts are found by. */
export const putContactWords = (tx: Pick<Tx, 'db'>, contacts: readonly Contact[]): Promise<void> =>
  putWords(
    tx,
    'contact_terms',
    contacts.map((contact) => ({ ...contact, words: contactWords(contact) })),
  );

const toKeys = (contact: Contact): Key[] => {
  const { channels, domains } = contact;
  const phones = phonesOf(contact);
  const keys = (kind: KeyKind, values: readonly string[]): Key[] =>
    [...new Set(values)].filter((key) => key !== '').map((key) => ({ kind, key }));
  return [
    ...keys(
      KEY_KIND.email,
      channels.filter(({ kind }) => kind === 'email').map(({ key }) => key),
    ),
    ...keys(KEY_KIND.phone, phones),
    ...keys(KEY_KIND.phoneEnd, phones.map(phoneEnd)),
    ...keys(KEY_KIND.domain, domains),
    ...keys(KEY_KIND.name, [foldText(contactName(contact))]),
  ];
};

const insertRows = preparedListInsert(contactKeys);

/** The keys of contacts, by recency, that another contact has, too. */
const listShared = preparedListSelect((db, _values: Record<string, never>, recencies) =>
  db
    .selectFrom('contact_keys as k')
    .select(['k.kind', 'k.key'])
    .where('k.recency', 'in', recencies as number[])
    .where('k.kind', 'in', SHARED_KINDS.map(sql.lit))
    // With a limit: of `exists` PostgreSQL may make a join, which reads all keys.
    .where(
      (eb) =>
        eb
          .selectFrom('contact_keys as o')
          .select('o.recency')
          .whereRef('o.workspace_id', '=', 'k.workspace_id')
          .whereRef('o.kind', '=', 'k.kind')
          .whereRef('o.key', '=', 'k.key')
          .whereRef('o.recency', '<>', 'k.recency')
          .limit(1),
      'is not',
      null,
    ),
);

const insertShared = preparedListInsert(contactSharedKeys, (conflict) => conflict.doNothing());

const insertKeys = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  keys: readonly (Key & { recency: number })[],
): Promise<void> => {
  await insertRows(
    tx,
    keys.map((key) => ({ workspaceId, ...key })),
  );
  const shared = await listShared(tx.db, {}, [...new Set(keys.map(({ recency }) => recency))]);
  await insertShared(
    tx,
    shared.map((key) => ({ workspaceId, ...key })),
  );
};

/** Inserts the keys and the words of new contacts of one workspace. */
export const addKeys = async (tx: Tx, workspaceId: WorkspaceId, added: readonly Contact[]): Promise<void> => {
  const keys = added.flatMap((contact) => toKeys(contact).map((key) => ({ ...key, recency: -contact.seq })));
  await insertKeys(tx, workspaceId, keys);
  await putContactWords(tx, added);
};

const deleteKeys = async (tx: Tx, contact: Contact, keys: readonly Key[], areAll: boolean): Promise<void> => {
  const { workspaceId } = contact;
  const recency = -contact.seq;
  if (areAll) await deleteRows(tx, contactKeys, { recency });
  else for (const key of keys) await deleteRows(tx, contactKeys, { workspaceId, ...key, recency });
  for (const key of keys.filter(({ kind }) => SHARED_KINDS.includes(kind))) {
    const others = await countUpTo(tx.db, contactKeys, { workspaceId, ...key, recency: not(recency) }, 2);
    if (others < 2) await deleteRows(tx, contactSharedKeys, { workspaceId, ...key });
  }
};

/** Updates the keys and the words of a contact. @param after null: it is deleted */
export const changeKeys = async (tx: Tx, before: Contact, after: Contact | null): Promise<void> => {
  const [old, current] = [toKeys(before), after ? toKeys(after) : []];
  const formatKey = ({ kind, key }: Key) => `${kind} ${key}`;
  const [oldTexts, currentTexts] = [new Set(old.map(formatKey)), new Set(current.map(formatKey))];
  const gone = old.filter((key) => !currentTexts.has(formatKey(key)));
  await deleteKeys(tx, before, gone, after === null);
  if (!after) return;
  const added = current.filter((key) => !oldTexts.has(formatKey(key)));
  const recency = -after.seq;
  await insertKeys(
    tx,
    after.workspaceId,
    added.map((key) => ({ ...key, recency })),
  );
  const words = contactWords(after);
  const formatWords = (of: readonly Word[]) => of.map(({ kind, word }) => kind + word).join(' ');
  if (formatWords(contactWords(before)) !== formatWords(words))
    await putWords(tx, 'contact_terms', [{ ...after, words }]);
};

/** The seqs of the contacts that have a key, newest first. */
export const findSeqsByKey = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: KeyKind,
  key: string,
  limit: number,
): Promise<number[]> => {
  const listing = { order: { recency: 'asc' }, limit } as const;
  return (await listValues(db, contactKeys, 'recency', { workspaceId, kind, key }, listing)).map((recency) => -recency);
};

/** The seqs of the contacts with a key that begins with `prefix`, in the order of the keys; one may come twice. */
export const findSeqsByPrefix = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: KeyKind,
  prefix: string,
  limit: number,
): Promise<number[]> => {
  const from = { workspaceId, kind, key: atLeast(prefix) };
  const rows = await listRows(db, contactKeys, from, { order: { key: 'asc', recency: 'asc' }, limit });
  return rows.filter(({ key }) => key.startsWith(prefix)).map(({ recency }) => -recency);
};
