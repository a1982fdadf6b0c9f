/**
 * Cancels the scheduled sends of a key or connection that is revoked, removed or expired, or no longer reaches the
 * agent.
 */

import type { Events } from '../../events/publish-events.ts';
import { formatNamed } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { GrantId, Id, KeyId } from '../../kernel/ids.ts';
import { listLiveKeys } from '../../store/accounts/api-keys.ts';
import { findRecipientByMailbox } from '../../store/accounts/recipient-lookup.ts';
import { listLiveUses } from '../../store/oauth/oauth-grants.ts';
import {
  type Booker,
  endScheduledSend,
  listBookedBy,
  listBookers,
  type ScheduledSend,
} from '../../store/sending/scheduled-sends.ts';
import type { Db, Tx } from '../../store/store.ts';

/** Whether the key or connection that scheduled a send may still act for the agent. True where it was not recorded. */
export const isBookerLive = async (db: Db, { bookedBy, byGrant, agentId }: Booker, now: Millis): Promise<boolean> => {
  if (bookedBy === null) return true;
  if (!byGrant) return (await listLiveKeys(db, [bookedBy], now)).length > 0;
  return (await listLiveUses(db, [{ grantId: bookedBy as Id<string> as GrantId, agentId }], now)).length > 0;
};

/** @returns false where it has ended before */
export const cancelOrphan = async (events: Pick<Events, 'publish'>, tx: Tx, send: ScheduledSend): Promise<boolean> => {
  const { id, mailboxId, byGrant, to, subject } = send;
  const cancelledBy = byGrant ? 'connection_ended' : 'key_ended';
  if (!(await endScheduledSend(tx, id, { status: 'cancelled', cancelledBy }))) return false;
  const mailbox = await findRecipientByMailbox(tx.db, mailboxId);
  if (!mailbox) return true;
  const data = { scheduled_id: id, to: to.map(formatNamed), subject, cancelled_by: cancelledBy } as const;
  await events.publish(tx, { name: 'scheduled.cancelled', workspaceId: mailbox.workspaceId, mailboxId, data });
  return true;
};

/**
 * Runs in the transaction that ends a key or a connection, or takes agents from one.
 * @param by cancels only the sends of this key or grant; null: all sends without a live one
 * @returns the cancelled sends
 */
export const cancelOrphaned = async (
  events: Pick<Events, 'publish'>,
  tx: Tx,
  by: KeyId | GrantId | null,
  now: Millis,
): Promise<ScheduledSend[]> => {
  const cancelled: ScheduledSend[] = [];
  for (const booker of await listBookers(tx.db, by as Id<string> as KeyId | null)) {
    if (await isBookerLive(tx.db, booker, now)) continue;
    for (const send of await listBookedBy(tx.db, booker)) {
      if (await cancelOrphan(events, tx, send)) cancelled.push(send);
    }
  }
  return cancelled;
};
