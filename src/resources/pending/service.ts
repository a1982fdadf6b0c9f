/** What an agent sees of its held mail. */

import { formatNamed } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byTimeAndId, readPage } from '../../kernel/page.ts';
import { findPendingSend, listPendingSends, type PendingSend } from '../../store/sending/held-sends.ts';
import type { Store } from '../../store/store.ts';
import type { pendingContract } from './contract.ts';

const viewPending = (pending: PendingSend) => ({
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

const viewPendingOutcome = (pending: PendingSend) => ({
  pending_id: pending.id,
  status: pending.status,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_at: pending.decidedAt === null ? null : isoTime(pending.decidedAt),
});

const newestFirst = byTimeAndId<'pending', PendingSend>(({ createdAt }) => createdAt);

export const createPending = ({ store }: { store: Store }): Handlers<typeof pendingContract> => ({
  listPending: async (caller, input) => {
    const mailboxId = mailboxOf(caller);
    const { rows, next_cursor } = await readPage(input, newestFirst, (after, limit) =>
      listPendingSends(store.read, { mailboxId, after, limit }),
    );
    return { pending: rows.map(viewPending), next_cursor };
  },
  getPending: async (caller, { id }) => {
    const pending = await findPendingSend(store.read, mailboxOf(caller), id);
    if (!pending) throw new ApiError('pending_not_found');
    return viewPendingOutcome(pending);
  },
});
