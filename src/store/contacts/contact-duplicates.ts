/** Finds contacts that share an e-mail address, a phone number or a name, by their keys. */

import type { WorkspaceId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { listRows, listValues } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { findSeqsByKey, type KeyKind } from './contact-keys.ts';
import { contactSharedKeys, contactsApart } from './contacts-mappings.ts';

/** The keys that several contacts have, in their order. */
export const listSharedKeys = (db: Db, workspaceId: WorkspaceId, kind: KeyKind, limit: number): Promise<string[]> =>
  listValues(db, contactSharedKeys, 'key', { workspaceId, kind }, { order: { key: 'asc' }, limit });

/** Pairs of contacts that stand side by side under a key, newest first: one fewer than there are contacts. */
export const listAdjacentPairs = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: KeyKind,
  key: string,
  limit: number,
): Promise<[number, number][]> => {
  const seqs = await findSeqsByKey(db, workspaceId, kind, key, limit + 1);
  return seqs.slice(1).map((seq, at) => [seqs[at] as number, seq]);
};

const insertApart = preparedInsert(contactsApart, (conflict) => conflict.doNothing());

export const keepContactsApart = (
  tx: Tx,
  workspaceId: WorkspaceId,
  [one, other]: readonly [number, number],
): Promise<void> => insertApart(tx, { workspaceId, oneSeq: Math.min(one, other), otherSeq: Math.max(one, other) });

/** Pairs that are kept apart, the lower number first. */
export const listContactsApart = async (db: Db, workspaceId: WorkspaceId, limit: number): Promise<[number, number][]> =>
  (await listRows(db, contactsApart, { workspaceId }, { limit })).map(({ oneSeq, otherSeq }) => [oneSeq, otherSeq]);
