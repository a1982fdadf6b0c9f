/** Writes an attempt's end: the row, the message's status and the event, in one transaction. */

import { addressKey } from '../kernel/address.ts';
import { DAY, type Millis } from '../kernel/clock.ts';
import type { BounceType } from '../kernel/replies.ts';
import { findAgentByMailbox } from '../store/agents.ts';
import { type Delivery, type DeliveryStatus, listDeliveriesOf, recordResult } from '../store/deliveries.ts';
import { findMessage, setMessageStatus } from '../store/messages.ts';
import { addOutcomes } from '../store/outcomes.ts';
import type { Tx } from '../store/store.ts';
import { insertSuppression } from '../store/suppressions.ts';
import type { AttemptEnd } from './outcome.ts';
import { nextAttemptTime } from './retry-schedule.ts';
import { reviewStanding, type StateNeeds } from './sending-state.ts';

/** A bounce that says nothing of the mailbox (our reputation, a host that was down) keeps mail back for so long. */
const SUPPRESSED_FOR_MS = DAY;

interface Settled {
  status: DeliveryStatus;
  nextAttemptAt: Millis | null;
  bounceType: BounceType | null;
}

const settledBy = (delivery: Delivery, { verdict }: AttemptEnd, now: Millis, spread: number): Settled => {
  if (verdict === 'delivered') return { status: 'delivered', nextAttemptAt: null, bounceType: null };
  if (verdict !== 'retry') return { status: 'bounced', nextAttemptAt: null, bounceType: verdict };
  const nextAttemptAt = nextAttemptTime(delivery.attempts + 1, delivery.createdAt, now, spread);
  return nextAttemptAt === null
    ? { status: 'bounced', nextAttemptAt: null, bounceType: 'expired' }
    : { status: 'deferred', nextAttemptAt, bounceType: null };
};

/** The first of these that any recipient is in. */
const messageStatus = (statuses: DeliveryStatus[]): string => {
  if (statuses.includes('complained')) return 'complained';
  if (statuses.includes('bounced')) return 'bounced';
  return statuses.every((status) => status === 'delivered') ? 'delivered' : 'sent';
};

/** @param delivery the row as it was claimed, before the attempt was counted */
export const settle = async (
  tx: Tx,
  needs: StateNeeds,
  delivery: Delivery,
  end: AttemptEnd,
  now: Millis,
  spread: number,
): Promise<void> => {
  const { status, nextAttemptAt, bounceType } = settledBy(delivery, end, now, spread);
  const { code, enhancedCode, response, remoteHost, tls, transcript } = end;
  await recordResult(tx, delivery.id, {
    status,
    nextAttemptAt,
    code,
    enhancedCode,
    response,
    remoteHost,
    tls,
    transcript,
  });
  if (nextAttemptAt !== null) return;
  const all = await listDeliveriesOf(tx.db, delivery.messageId);
  await setMessageStatus(tx, delivery.messageId, messageStatus(all.map((each) => each.status)));
  const agent = await findAgentByMailbox(tx.db, delivery.mailboxId);
  const message = await findMessage(tx.db, delivery.mailboxId, delivery.messageId);
  if (!agent || !message) return;
  const about = {
    message_id: message.id,
    thread_id: message.threadId,
    to: [delivery.address as string],
    subject: message.subject,
  };
  const of = { workspaceId: agent.workspaceId, mailboxId: delivery.mailboxId };
  if (bounceType === null) {
    await needs.events.publish(tx, { name: 'message.delivered', ...of, data: about });
    return;
  }
  await needs.events.publish(tx, { name: 'message.bounced', ...of, data: { ...about, bounce_type: bounceType } });
  await insertSuppression(tx, agent.workspaceId, {
    address: addressKey(delivery.address),
    reason: 'bounce',
    bounceType,
    messageId: message.id,
    until: bounceType === 'permanent' ? null : now + SUPPRESSED_FOR_MS,
    createdAt: now,
  });
  await addOutcomes(tx, agent.workspaceId, now, { bounced: 1 });
  await reviewStanding(needs, tx, agent.workspaceId, now);
};
