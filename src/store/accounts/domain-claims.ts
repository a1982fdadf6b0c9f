/** Changes a workspace's claim to a domain: verified, failing, lapsed, removed. */

import type { DomainName } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { type DomainId, idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import { below, countRows, deleteRows, listRows, literal, not, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { domains, mailboxes } from './accounts-mappings.ts';
import type { Domain } from './domains.ts';
import { isLive } from './live-domain-mappings.ts';

export const countCustomDomains = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, domains, { workspaceId, kind: literal('custom') });

/** Whether a live agent or a disposable inbox of one has its address on the domain. */
export const hasMailboxes = async (db: Db, id: DomainId): Promise<boolean> => {
  const row = await db
    .selectFrom('mailboxes')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select('mailboxes.id')
    .where('mailboxes.domain_id', '=', idToBytes(id))
    .where('agents.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

export type DomainChange = Partial<
  Pick<Domain, 'status' | 'verifiedAt' | 'lastCheckedAt' | 'failingSince' | 'checkResult' | 'receives'>
>;

export const updateDomain = (tx: Tx, id: DomainId, change: DomainChange): Promise<void> =>
  updateRows(tx, domains, { id }, change);

/** Ends failing claims of other workspaces: the domain is verified for another. */
export const demoteFailingClaims = async (tx: Tx, name: DomainName, winner: DomainId): Promise<void> => {
  const failing = { name, id: not(winner), status: literal('failing') };
  await updateRows(tx, domains, failing, { status: 'pending', verifiedAt: null, failingSince: null });
};

/**
 * Deletes a domain with its keys. The mail of removed agents is kept: their mailboxes go over to another domain of the
 * workspace.
 */
export const deleteDomain = async (tx: Tx, id: DomainId, heir: DomainId): Promise<void> => {
  await updateRows(tx, mailboxes, { domainId: id }, { domainId: heir });
  await deleteRows(tx, domains, { id });
};

/** Domains of workspaces that are not removed, unchecked since `before`; the longest unchecked first. */
export const listUnchecked = async (db: Db, before: Millis, limit: number): Promise<Domain[]> => {
  const rows = await db
    .selectFrom('domains')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('last_checked_at', '<', before),
        eb.and([eb('last_checked_at', 'is', null), eb('created_at', '<', before)]),
      ]),
    )
    .where(isLive)
    .orderBy('last_checked_at')
    .limit(limit)
    .execute();
  return rows.map(domains.read);
};

/** Custom domains that were added before a time and never verified. */
export const listUnverifiedClaims = (db: Db, before: Millis): Promise<Domain[]> => {
  const unverified = { kind: literal('custom'), status: literal('pending'), verifiedAt: null };
  return listRows(db, domains, { ...unverified, createdAt: below(before) });
};
