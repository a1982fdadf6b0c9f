/** Releases held mail: as it was approved, byte by byte, through the send gate again. */

import type { Plans } from '../../config/plans.ts';
import type { Events } from '../../events/publish-events.ts';
import type { Millis } from '../../kernel/clock.ts';
import {
  findHeldMail,
  type HeldMail,
  type HeldSend,
  MAY_HOLD_SECRET,
  recordHeldResult,
} from '../../store/sending/held-sends.ts';
import type { Tx } from '../../store/store.ts';
import type { AcceptNeeds } from './accept-send.ts';
import { computeApprovedDigest } from './approved-digest.ts';
import { findSender } from './find-sender.ts';
import type { Send } from './gate-check.ts';
import { checkSend } from './gate-checks.ts';
import { toEventData, toOwner, toWithheldData } from './held-events.ts';
import { type PreparedFields, type PreparedMessage, recipientsOf } from './prepare-message.ts';
import { hasSender, sendNow, withPreparedMessage } from './send.ts';

export interface ReleaseNeeds extends AcceptNeeds {
  events: Events;
  plans: Plans;
  isLocalOnly: boolean;
}

/** The digest of a held mail as it would go out; null once it is decided. */
export const digestHeldMail = async (held: HeldMail | null): Promise<Uint8Array | null> => {
  if (!held) return null;
  const fields = JSON.parse(held.outgoing) as PreparedFields;
  const recipients = recipientsOf(fields).map(({ address }) => address);
  return computeApprovedDigest({ from: fields.from.address, recipients }, held.mime);
};

/** Approved mail passes every check of the gate again: quota, suppressions and states may have changed since. */
const toSend = async (
  { plans, isLocalOnly }: ReleaseNeeds,
  tx: Tx,
  pending: HeldSend,
  approvedDigest: Uint8Array | null,
  now: Millis,
): Promise<{ send: Send; mail: PreparedMessage }> => {
  const held = await findHeldMail(tx.db, pending.id);
  if (!held || !approvedDigest) throw new Error('Held mail without a decision has no bytes.');
  const fields = JSON.parse(held.outgoing) as PreparedFields;
  const mail: PreparedMessage = {
    fields,
    htmlText: null,
    htmlChanged: [],
    isOurs: true,
    isWhole: true,
    secrets: [],
    mime: held.mime,
    size: held.size,
    approvedDigest,
  };
  const send: Send = withPreparedMessage(
    {
      sender: await findSender(tx.db, pending.agentId, plans),
      recipients: recipientsOf(fields),
      attachmentBytes: 0,
      // The message that it answers may have been deleted since: not a reason to refuse.
      parent: null,
      sendClass: pending.sendClass,
      bodyHash: null,
      secrets: [],
      plans,
      isLocalOnly,
      now,
    },
    mail,
  );
  return { send, mail };
};

/** Whether the gate would let it go now. */
export const mayRelease = async (...held: Parameters<typeof toSend>): Promise<boolean> => {
  const { send } = await toSend(...held);
  return (await checkSend(send, held[1].db, 'release')) === null;
};

/** Sends approved mail: its row says what became of it. */
export const release = async (...held: Parameters<typeof toSend>): Promise<void> => {
  const [needs, tx, pending] = held;
  const { send, mail } = await toSend(...held);
  const outcome = hasSender(send)
    ? await sendNow(needs, tx, send, mail, await checkSend(send, tx.db, 'release'))
    : { kind: 'rejected' as const, reason: 'mailbox_not_found' };
  if (outcome.kind === 'rejected') {
    await recordHeldResult(tx, pending.id, { failureReason: outcome.reason });
    await needs.events.publish(tx, {
      name: 'approval.failed',
      ...toOwner(pending),
      data: {
        pending_id: pending.id,
        ...toWithheldData(pending),
        // Its addresses may be what the mail was held for.
        failure_reason: MAY_HOLD_SECRET.has(pending.reason) ? outcome.reason.replace(/:.*/s, '') : outcome.reason,
      },
    });
    return;
  }
  await recordHeldResult(tx, pending.id, { messageId: outcome.messageId });
  await needs.events.publish(tx, {
    name: 'approval.approved',
    ...toOwner(pending),
    data: {
      pending_id: pending.id,
      message_id: outcome.messageId,
      ...toEventData(pending),
      edited: pending.changes !== null,
      webhook_id: null,
    },
  });
};
