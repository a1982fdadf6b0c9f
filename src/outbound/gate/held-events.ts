/** The data of events on held mail. */

import type { Events } from '../../events/publish-events.ts';
import { formatNamed } from '../../kernel/address.ts';
import { isoTime } from '../../kernel/clock.ts';
import { type HeldSend, MAY_HOLD_SECRET } from '../../store/sending/held-sends.ts';
import type { Tx } from '../../store/store.ts';

export const toOwner = ({ workspaceId, mailboxId }: Pick<HeldSend, 'workspaceId' | 'mailboxId'>) => ({
  workspaceId,
  mailboxId,
});

type Told = Pick<HeldSend, 'to' | 'subject' | 'reason'>;

export const toEventData = ({ to, subject }: Told) => ({ to: to.map(formatNamed), subject });

/**
 * For mail that is not released: events leave the instance, and the subject or a recipient may be the reason for
 * holding.
 */
export const toWithheldData = (pending: Told) => ({
  ...toEventData(pending),
  ...(MAY_HOLD_SECRET.has(pending.reason) && { to: [], subject: '' }),
});

type Requested = Told & Pick<HeldSend, 'id' | 'workspaceId' | 'mailboxId' | 'expiresAt' | 'sentBy'>;

/** @param mailbox the agent's address */
export const publishRequested = (events: Events, tx: Tx, pending: Requested, mailbox: string): Promise<void> =>
  events.publish(tx, {
    name: 'approval.requested',
    ...toOwner(pending),
    data: {
      pending_id: pending.id,
      mailbox,
      ...toWithheldData(pending),
      reason: pending.reason,
      expires_at: isoTime(pending.expiresAt),
      webhook_id: null,
      ...(pending.sentBy !== null && { sent_by: pending.sentBy }),
    },
  });
