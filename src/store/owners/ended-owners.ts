/** What ends with an owner's last workspace. */

import type { OwnerId } from '../../kernel/ids.ts';
import type { Tx } from '../store.ts';
import { deleteSessionsOf } from './owner-sessions.ts';
import { hasWorkspace } from './owners.ts';
import { deletePasskeysOf } from './passkeys.ts';

/**
 * Ends an owner's sessions and passkeys, unless a workspace is left to it. Whoever has the address next, and is made an
 * owner again, begins with nothing.
 */
export const endOwnerWithoutWorkspace = async (tx: Tx, id: OwnerId): Promise<void> => {
  if (await hasWorkspace(tx.db, id)) return;
  await deleteSessionsOf(tx, id);
  await deletePasskeysOf(tx, id);
};
