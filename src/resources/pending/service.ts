/** What an agent sees of its held mail. */

import { formatNamed } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { readTimeAndId, toPage } from '../../kernel/page.ts';
import { findHeldSend, type HeldSend, listHeldSends } from '../../store/sending/held-sends.ts';
import type { Store } from '../../store/store.ts';
import type { pendingContract } from './contract.ts';

export const viewPending = (pending: HeldSend) => ({
  pending_id: pending.id,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  snippet: pending.snippet,
  attachments: pending.attachments.map(({ filename, contentType, size, contentId = null }) => ({
    filename,
    contentType,
    size,
    content_id: contentId,
  })),
  send_class: pending.sendClass,
  reason: pending.reason,
  created_at: isoTime(pending.createdAt),
});

export const viewPendingOutcome = (pending: HeldSend) => ({
  pending_id: pending.id,
  status: pending.status,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_at: pending.decidedAt === null ? null : isoTime(pending.decidedAt),
});

export const createPending = ({ store }: { store: Store }): Handlers<typeof pendingContract> => ({
  listPending: async (caller, { limit, cursor }) => {
    const after = readTimeAndId<'pending'>(cursor);
    const rows = await listHeldSends(store.read, { mailboxId: mailboxOf(caller), after, limit: limit + 1 });
    const { page, next_cursor } = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
    return { pending: page.map(viewPending), next_cursor };
  },
  getPending: async (caller, { id }) => {
    const pending = await findHeldSend(store.read, mailboxOf(caller), id);
    if (!pending) throw new ApiError('pending_not_found');
    return viewPendingOutcome(pending);
  },
});
