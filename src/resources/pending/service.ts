/** What an agent sees of its held mail. */

import { formatNamed } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findPendingSend, listPendingSends, type PendingSend } from '../../store/pending-sends.ts';
import type { Store } from '../../store/store.ts';
import type { pendingContract } from './contract.ts';

export const viewPending = (pending: PendingSend) => ({
  pending_id: pending.id,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  snippet: pending.snippet,
  send_class: pending.sendClass,
  reason: pending.reason,
  created_at: isoTime(pending.createdAt),
});

export const viewPendingOutcome = (pending: PendingSend) => ({
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
  listPending: async (caller, { limit }) => ({
    pending: (await listPendingSends(store.read, mailboxOf(caller), limit)).map(viewPending),
  }),
  getPending: async (caller, { id }) => {
    const pending = await findPendingSend(store.read, mailboxOf(caller), id);
    if (!pending) throw new ApiError('pending_not_found');
    return viewPendingOutcome(pending);
  },
});
