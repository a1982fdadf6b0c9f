/** Finds and adds contact lists, for the lists' own operations and for imports. */

import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { ContactListId, WorkspaceId } from '../../../kernel/ids.ts';
import {
  type ContactList,
  countLists,
  findList,
  findListByName,
  insertList,
} from '../../../store/contacts/contact-lists.ts';
import type { Db, Tx } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { MAX_LISTS } from '../limits-contract.ts';

/** @throws ApiError list_not_found */
export const requireList = async (db: Db, workspaceId: WorkspaceId, id: ContactListId): Promise<ContactList> =>
  requireFound(await findList(db, workspaceId, id), 'list_not_found');

/**
 * Adds a list in a transaction with the workspace's lock.
 * @throws ApiError list_name_taken, invalid_request where the workspace has its maximum of lists
 */
export const addList = async (
  tx: Tx,
  { newId, clock }: Needs<'newId' | 'clock'>,
  workspaceId: WorkspaceId,
  content: Pick<ContactList, 'name' | 'description'>,
): Promise<ContactList> => {
  if (await findListByName(tx.db, workspaceId, content.name)) throw new ApiError('list_name_taken');
  if ((await countLists(tx.db, workspaceId)) >= MAX_LISTS) {
    throw new ApiError('invalid_request', { hint: `A workspace has at most ${MAX_LISTS} contact lists.` });
  }
  const now = clock.now();
  const list = { id: newId<'contact-list'>(), workspaceId, ...content, memberCount: 0, createdAt: now, updatedAt: now };
  await insertList(tx, list);
  return list;
};
