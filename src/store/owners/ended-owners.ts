/** Ends an owner's sessions and passkeys with the last workspace. */

import type { OwnerId } from '../../kernel/ids.ts';
import type { Tx } from '../store.ts';
import { deleteSessionsOf } from './owner-sessions.ts';
import { hasWorkspace } from './owners.ts';
import { deletePasskeysOf } from './passkeys.ts';
import { deleteToldSettings } from './told-settings.ts';

/**
 * Ends an owner's sessions, passkeys and choices of notices once it has no workspace. Another owner with this address
 * later begins with nothing.
 */
export const endOwnerWithoutWorkspace = async (tx: Tx, id: OwnerId): Promise<void> => {
  if (await hasWorkspace(tx.db, id)) return;
  await deleteSessionsOf(tx, id);
  await deletePasskeysOf(tx, id);
  await deleteToldSettings(tx, id);
};
