/** What the owners of a workspace were told to need them, so that they are told once of what stands. */

import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { preparedPut } from '../prepared-insert.ts';
import { listRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toldNeeds } from './owners-mappings.ts';

/** When each need of a workspace was last found to stand. */
export const listToldNeeds = async (db: Db, workspaceId: WorkspaceId): Promise<Map<string, Millis>> =>
  new Map((await listRows(db, toldNeeds, { workspaceId })).map(({ need, seenAt }) => [need, seenAt]));

const put = preparedPut(toldNeeds);

export const putToldNeed = (tx: Tx, workspaceId: WorkspaceId, need: string, seenAt: Millis): Promise<void> =>
  put(tx, { workspaceId, need, seenAt });
