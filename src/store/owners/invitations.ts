/** Invitations to own a workspace. Only the hash of a link's secret is stored. */

import { type Address, type DomainName, domainOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, countRows, findRow, listRows, updateAndCount } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { invitations } from './owners-mappings.ts';

export type Invitation = Entity<typeof invitations>;

export const insertInvitation = preparedInsert(invitations);

/** Ended and expired ones too. */
export const findInvitation = (db: Db, hash: Uint8Array): Promise<Invitation | null> =>
  findRow(db, invitations, { hash });

/** Those of a workspace that may still be accepted, the oldest first. */
export const listOpenInvitations = (db: Db, workspaceId: WorkspaceId, now: Millis): Promise<Invitation[]> =>
  listRows(db, invitations, { workspaceId, endedAt: null, expiresAt: above(now) }, { order: { createdAt: 'asc' } });

/** @returns false where it has ended before */
export const endInvitation = async (tx: Tx, hash: Uint8Array, now: Millis): Promise<boolean> =>
  (await updateAndCount(tx, invitations, { hash, endedAt: null }, { endedAt: now })) > 0;

/** @returns whether one of the address was open */
export const endInvitationsTo = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  email: Address,
  now: Millis,
): Promise<boolean> => {
  const open = (await listOpenInvitations(tx.db, workspaceId, now)).filter((each) => each.email === email);
  for (const { hash } of open) await endInvitation(tx, hash, now);
  return open.length > 0;
};

/** Invitations that were mailed to an address since then, ended ones too. */
export const countInvitationsTo = (db: Db, email: Address, since: Millis): Promise<number> =>
  countRows(db, invitations, { email, createdAt: above(since) });

/** Invitations of a workspace since then, ended ones too. */
export const countInvitationsOf = (db: Db, workspaceId: WorkspaceId, since: Millis): Promise<number> =>
  countRows(db, invitations, { workspaceId, createdAt: above(since) });

/**
 * Ends the open invitations of a domain's addresses, in the transaction from which the instance receives there: an
 * agent's mailbox might get a mail that is still on its way.
 */
export const endInvitationsAtDomain = async (tx: Tx, name: DomainName, now: Millis): Promise<void> => {
  const rows = await tx.db
    .selectFrom('owner_invitations')
    .select(['hash', 'email'])
    .where((eb) => eb(eb.ref('email').$castTo<string>(), 'like', `%@${name}`))
    .where('ended_at', 'is', null)
    .execute();
  // An underscore in a name matches any character.
  for (const { hash, email } of rows) if (domainOf(email) === name) await endInvitation(tx, hash, now);
};
