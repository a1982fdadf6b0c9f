/** What the owners of a workspace were told to need them, so that they are told once of what stands. */

import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { below, deleteRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { toldNeeds } from './owners-mappings.ts';

/** When each need of a workspace was last found to stand. */
export const listToldNeeds = async (db: Db, workspaceId: WorkspaceId): Promise<Map<string, Millis>> => {
  const rows = await db
    .selectFrom('told_needs')
    .select(['need', 'seen_at'])
    .where('workspace_id', '=', toBlob(workspaceId))
    .execute();
  return new Map(rows.map(({ need, seen_at }) => [need, seen_at]));
};

const put = preparedInsert(toldNeeds, (conflict) =>
  conflict.columns(['workspace_id', 'need']).doUpdateSet((eb) => ({ seen_at: eb.ref('excluded.seen_at') })),
);

export const putToldNeed = async (tx: Tx, workspaceId: WorkspaceId, need: string, seenAt: Millis): Promise<void> => {
  await put(tx, { workspaceId, need, seenAt });
};

export const purgeToldNeeds = async (tx: Tx, before: Millis): Promise<void> => {
  await deleteRows(tx, toldNeeds, { seenAt: below(before) });
};
