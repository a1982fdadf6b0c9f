/** Contacts that share an e-mail address, a phone number or a name. The keys that two have are kept, so none is searched. */

import type { WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import { findSeqsByKey, type KeyKind } from './contact-keys.ts';

/** The keys that several contacts have, in their order. */
export const listSharedKeys = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: KeyKind,
  limit: number,
): Promise<string[]> => {
  const rows = await selectShared(db, { workspaceId: toBlob(workspaceId), kind, limit });
  return rows.map(({ key }) => key);
};

const selectShared = preparedSelect(
  (db, { workspaceId, kind, limit }: { workspaceId: Uint8Array; kind: number; limit: number }) =>
    db
      .selectFrom('contact_shared_keys')
      .select('key')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', kind)
      .orderBy('key')
      .limit(limit),
);

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
