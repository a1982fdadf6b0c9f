/** What each owner is told by mail, and when its digest is due. */

import { isAddressOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { atMost, deleteRows, findRow, listValues } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { findNoticeAddress, isOwnAddress } from './own-addresses.ts';
import { listWorkspaceOwners } from './owners.ts';
import { toldSettings } from './owners-mappings.ts';

export type ToldSettings = Entity<typeof toldSettings>;

/** Those of a person who has chosen nothing. */
const unchosen = (ownerId: OwnerId): ToldSettings => ({
  ownerId,
  mailsHeld: null,
  mailsNeeds: null,
  digest: 'off',
  digestHour: 8,
  digestZone: 'UTC',
  digestFrom: 0,
  digestDueAt: null,
});

export const findToldSettings = async (db: Db, ownerId: OwnerId): Promise<ToldSettings> =>
  (await findRow(db, toldSettings, { ownerId })) ?? unchosen(ownerId);

export const putToldSettings = preparedPut(toldSettings);

export const deleteToldSettings = (tx: Tx, ownerId: OwnerId): Promise<void> =>
  deleteRows(tx, toldSettings, { ownerId });

/** Owners with a due digest, the longest due first. */
export const listDueDigests = (db: Db, now: Millis, limit: number): Promise<OwnerId[]> =>
  listValues(db, toldSettings, 'ownerId', { digestDueAt: atMost(now) }, { order: { digestDueAt: 'asc' }, limit });

/**
 * The addresses that are mailed a kind of notice about a workspace. These are the owners that have chosen it, and the
 * workspace's own notice address unless its owner has chosen against it.
 */
export const listNoticeAddresses = async (
  db: Db,
  workspace: Workspace,
  kind: 'mailsHeld' | 'mailsNeeds',
  baseDomain: string,
): Promise<string[]> => {
  const usual = await findNoticeAddress(db, workspace, baseDomain);
  if (usual === null) return [];
  const mailed: string[] = [];
  for (const { id, email } of await listWorkspaceOwners(db, workspace.id)) {
    const isUsual = isAddressOf(usual, email);
    const choice = (await findToldSettings(db, id))[kind];
    if (choice === null ? isUsual : choice && (isUsual || !(await isOwnAddress(db, email, baseDomain)))) {
      mailed.push(isUsual ? usual : email);
    }
  }
  return mailed;
};
