/** Units of work that hold the lock of a workspace. */

import type { WorkspaceId } from '../kernel/ids.ts';
import type { Store, Tx } from './store.ts';

/** Holds the workspace's lock, so that no two changes of shared things start from one reading. */
export const writeInWorkspace = <T>(
  store: Pick<Store, 'write'>,
  workspaceId: WorkspaceId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  store.write(async (tx) => {
    await tx.lock(`workspace ${workspaceId}`);
    return work(tx);
  });
