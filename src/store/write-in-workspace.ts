/** Units of work that hold the lock of a workspace. */

import type { WorkspaceId } from '../kernel/ids.ts';
import type { Store, Tx } from './store.ts';

/** Locked, so that no two changes of what a workspace shares are made from one reading. */
export const writeInWorkspace = <T>(
  store: Pick<Store, 'write'>,
  workspaceId: WorkspaceId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  store.write(async (tx) => {
    await tx.lock(`workspace ${workspaceId}`);
    return work(tx);
  });
