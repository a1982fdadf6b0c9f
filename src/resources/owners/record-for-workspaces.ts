/** Records an owner's act in the activity log of each of its workspaces. */

import type { Recorded, RecordingCall } from '../../kernel/handlers.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Act } from '../../kernel/operation.ts';
import { listWorkspacesOf } from '../../store/owners/owners.ts';
import type { Tx } from '../../store/store.ts';

export const recordForWorkspaces = async <T>(
  record: RecordingCall['record'],
  tx: Tx,
  ownerId: OwnerId,
  act: Omit<Act, 'workspaceId'>,
  answer: T,
): Promise<Recorded<T>> => {
  const [first, ...others] = await listWorkspacesOf(tx.db, ownerId);
  for (const { id } of others) await record(tx, { ...act, workspaceId: id }, answer);
  return record(tx, { ...act, workspaceId: first?.id ?? null }, answer);
};
