/** The search entries of a contact: its words, and one row for each key, newest contacts first under each. */

import type { WorkspaceId } from '../../kernel/ids.ts';
import { foldText, wordsOf } from '../../kernel/text/fold.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { prepare, preparedSelect } from '../prepared-statement.ts';
import { PreparedValue } from '../prepared-value.ts';
import { deleteRows, listValues } from '../rows.ts';
import { changeWords, type Word } from '../search/word-search.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
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

/** Rows of one statement: a contact has some twenty keys. */
const ROWS_AT_ONCE = 8;

const insertRows = (rows: number) =>
  prepare((db) =>
    db.insertInto('contact_keys').values(
      Array.from({ length: rows }, (_, at) => ({
        workspace_id: new PreparedValue('workspaceId') as never,
        kind: new PreparedValue(`kind${at}`) as never,
        key: new PreparedValue(`key${at}`) as never,
        recency: new PreparedValue('recency') as never,
      })),
    ),
  );
/** By the number of their rows, less one. */
const inserts = Array.from({ length: ROWS_AT_ONCE }, (_, at) => insertRows(at + 1));

interface KeyValues extends Readonly<Record<string, string | number | Uint8Array>> {
  workspaceId: Uint8Array;
  kind: number;
  key: string;
  recency: number;
}

const othersWith = preparedSelect((db, { workspaceId, kind, key, recency }: KeyValues) =>
  db
    .selectFrom('contact_keys')
    .select('recency')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('recency', '<>', recency)
    .limit(2),
);

const insertShared = preparedInsert(contactSharedKeys, (conflict) => conflict.doNothing());

const insertKeys = async (tx: Tx, contact: Contact, keys: readonly Key[]): Promise<void> => {
  const common = { workspaceId: toBlob(contact.workspaceId), recency: -contact.seq };
  for (let at = 0; at < keys.length; at += ROWS_AT_ONCE) {
    const rows = keys.slice(at, at + ROWS_AT_ONCE);
    const values = Object.fromEntries(
      rows.flatMap(({ kind, key }, row) => [
        [`kind${row}`, kind],
        [`key${row}`, key],
      ]),
    );
    await inserts[rows.length - 1]?.(tx.db, { ...common, ...values });
  }
  for (const { kind, key } of keys.filter((each) => SHARED_KINDS.includes(each.kind))) {
    const others = await othersWith(tx.db, { ...common, kind, key });
    if (others.length > 0) await insertShared(tx, { workspaceId: contact.workspaceId, kind, key });
  }
};

const deleteKeys = async (tx: Tx, contact: Contact, keys: readonly Key[], areAll: boolean): Promise<void> => {
  const { workspaceId } = contact;
  const recency = -contact.seq;
  if (areAll) await deleteRows(tx, contactKeys, { recency });
  else for (const key of keys) await deleteRows(tx, contactKeys, { workspaceId, ...key, recency });
  for (const key of keys.filter(({ kind }) => SHARED_KINDS.includes(kind))) {
    const others = await othersWith(tx.db, { workspaceId: toBlob(workspaceId), ...key, recency });
    if (others.length < 2) await deleteRows(tx, contactSharedKeys, { workspaceId, ...key });
  }
};

/**
 * Updates the keys and the words of a contact.
 * @param before null: it is new.
 * @param after null: it is deleted
 */
export const changeKeys = async (tx: Tx, before: Contact | null, after: Contact | null): Promise<void> => {
  const [old, current] = [before ? toKeys(before) : [], after ? toKeys(after) : []];
  const formatKey = ({ kind, key }: Key) => `${kind} ${key}`;
  const [oldTexts, currentTexts] = [new Set(old.map(formatKey)), new Set(current.map(formatKey))];
  if (before) {
    const gone = old.filter((key) => !currentTexts.has(formatKey(key)));
    await deleteKeys(tx, before, gone, after === null);
  }
  if (after) {
    await insertKeys(
      tx,
      after,
      current.filter((key) => !oldTexts.has(formatKey(key))),
    );
    await changeWords(tx, 'contact_terms', after, before && contactWords(before), contactWords(after));
  }
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
  const rows = await db
    .selectFrom('contact_keys')
    .select(['key', 'recency'])
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('kind', '=', kind)
    .where('key', '>=', prefix)
    .orderBy('key')
    .orderBy('recency')
    .limit(limit)
    .execute();
  return rows.filter(({ key }) => key.startsWith(prefix)).map(({ recency }) => -recency);
};
