/** What each owner is told by mail, and when its digest is due. */

import { isAddressOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { deleteRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
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

export const findToldSettings = async (db: Db, ownerId: OwnerId): Promise<ToldSettings> => {
  const row = await db
    .selectFrom('told_settings')
    .selectAll()
    .where('owner_id', '=', toBlob(ownerId))
    .executeTakeFirst();
  return row ? toldSettings.read(row) : unchosen(ownerId);
};

const put = preparedInsert(toldSettings, (conflict) =>
  conflict.column('owner_id').doUpdateSet((eb) => ({
    mails_held: eb.ref('excluded.mails_held'),
    mails_needs: eb.ref('excluded.mails_needs'),
    digest: eb.ref('excluded.digest'),
    digest_hour: eb.ref('excluded.digest_hour'),
    digest_zone: eb.ref('excluded.digest_zone'),
    digest_from: eb.ref('excluded.digest_from'),
    digest_due_at: eb.ref('excluded.digest_due_at'),
  })),
);

export const putToldSettings = async (tx: Tx, settings: ToldSettings): Promise<void> => {
  await put(tx, settings);
};

export const deleteToldSettings = async (tx: Tx, ownerId: OwnerId): Promise<void> => {
  await deleteRows(tx, toldSettings, { ownerId });
};

/** Owners with a due digest, the longest due first. */
export const listDueDigests = async (db: Db, now: Millis, limit: number): Promise<OwnerId[]> => {
  const due = db
    .selectFrom('told_settings')
    .select('owner_id')
    .where('digest_due_at', '<=', now)
    .orderBy('digest_due_at')
    .limit(limit);
  return (await due.execute()).map(({ owner_id }) => toldSettings.columns.ownerId.fromStored(owner_id));
};

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
