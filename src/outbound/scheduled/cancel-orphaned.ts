/**
 * Cancels the scheduled sends of a key or connection that is revoked, removed or expired, or no longer reaches the
 * agent, and those of an owner who is one no longer.
 */

import type { Events } from '../../events/publish-events.ts';
import { type Address, formatNamed } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, Id, WorkspaceId } from '../../kernel/ids.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { listLiveKeys } from '../../store/accounts/api-keys.ts';
import { findRecipientByMailbox } from '../../store/accounts/recipient-lookup.ts';
import { listLiveUses } from '../../store/oauth/oauth-grants.ts';
import { listWorkspaceOwners } from '../../store/owners/owners.ts';
import {
  type Booker,
  type BookersOf,
  endScheduledSend,
  listBookedBy,
  listBookedByOwner,
  listBookers,
  type ScheduledSend,
} from '../../store/sending/scheduled-sends.ts';
import type { Db, Tx } from '../../store/store.ts';

type Booked = Booker & Partial<Pick<ScheduledSend, 'sentBy'>>;

/** Whether the key, connection or owner that scheduled a send may still act for the agent. True where none was recorded. */
export const isBookerLive = async (db: Db, by: Booked, now: Millis): Promise<boolean> => {
  const { bookedBy, byGrant, sentBy = null, agentId } = by;
  if (sentBy !== null) return isOwnerOf(db, sentBy, agentId);
  if (bookedBy === null) return true;
  if (!byGrant) return (await listLiveKeys(db, [bookedBy], now)).length > 0;
  return (await listLiveUses(db, [{ grantId: bookedBy as Id<string> as GrantId, agentId }], now)).length > 0;
};

const isOwnerOf = async (db: Db, email: Address, agentId: AgentId): Promise<boolean> => {
  const agent = await findAgentById(db, agentId);
  return agent !== null && (await listWorkspaceOwners(db, agent.workspaceId)).some((owner) => owner.email === email);
};

/** @returns false where it has ended before */
export const cancelOrphan = async (events: Pick<Events, 'publish'>, tx: Tx, send: ScheduledSend): Promise<boolean> => {
  const { id, mailboxId, byGrant, sentBy, to, subject } = send;
  const by = sentBy !== null ? 'owner' : byGrant ? 'connection_ended' : 'key_ended';
  const cancelledBy = by === 'owner' ? null : by;
  if (!(await endScheduledSend(tx, id, { status: 'cancelled', cancelledBy }))) return false;
  const mailbox = await findRecipientByMailbox(tx.db, mailboxId);
  if (!mailbox) return true;
  const data = { scheduled_id: id, to: to.map(formatNamed), subject, cancelled_by: by } as const;
  await events.publish(tx, { name: 'scheduled.cancelled', workspaceId: mailbox.workspaceId, mailboxId, data });
  return true;
};

/** @returns the cancelled ones */
const cancelEach = async (
  events: Pick<Events, 'publish'>,
  tx: Tx,
  sends: readonly ScheduledSend[],
): Promise<ScheduledSend[]> => {
  const cancelled: ScheduledSend[] = [];
  for (const send of sends) {
    if (await cancelOrphan(events, tx, send)) cancelled.push(send);
  }
  return cancelled;
};

/**
 * Runs in the transaction that ends a key or a connection, or takes agents from one.
 * @param of cancels only these sends, so that an answer names none of another workspace; null: of the whole instance
 * @returns the cancelled sends
 */
export const cancelOrphaned = async (
  events: Pick<Events, 'publish'>,
  tx: Tx,
  of: BookersOf | null,
  now: Millis,
): Promise<ScheduledSend[]> => {
  const cancelled: ScheduledSend[] = [];
  for (const booker of await listBookers(tx.db, of)) {
    if (await isBookerLive(tx.db, booker, now)) continue;
    cancelled.push(...(await cancelEach(events, tx, await listBookedBy(tx.db, booker))));
  }
  return cancelled;
};

/** Runs in the transaction that removes an owner. @returns the cancelled sends that the owner had booked */
export const cancelOfOwner = async (
  events: Pick<Events, 'publish'>,
  tx: Tx,
  workspaceId: WorkspaceId,
  email: Address,
): Promise<ScheduledSend[]> => cancelEach(events, tx, await listBookedByOwner(tx.db, workspaceId, email));
