/** Schedules a send: with `send_at`, or for a moment in which it can be taken back. */

import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { isoTime, type Millis } from '../../../kernel/clock.ts';
import type { Call } from '../../../kernel/handlers.ts';
import type { ScheduledId } from '../../../kernel/ids.ts';
import { rejected } from '../../../outbound/gate/gate-checks.ts';
import { requireSchedulable, type ScheduledRequest } from '../../../outbound/scheduled/scheduled-dispatch.ts';
import type { Needs } from '../../needs.ts';
import { type SendResult, statusOfSend } from './contract.ts';

export type ScheduleNeeds = Needs<'scheduledDispatch' | 'clock'>;

/** Checks the time, and how much is scheduled: quotas, suppression, policy and approval apply when the mail is due. */
export const scheduleSend = async (
  { scheduledDispatch, clock }: ScheduleNeeds,
  caller: AgentCaller,
  request: Omit<ScheduledRequest, 'via'>,
  sendAt: Millis,
  { recordAnswer, via }: Call,
): Promise<SendResult> => {
  requireSchedulable(sendAt, clock.now());
  const resultFor = (id: ScheduledId): SendResult => ({
    status: 'scheduled',
    scheduled_id: id,
    send_at: isoTime(sendAt),
  });
  const scheduled = await scheduledDispatch.schedule({
    agentId: caller.agentId,
    mailboxId: mailboxOf(caller),
    bookedBy: caller.byOwner === undefined ? caller.keyId : null,
    sentBy: caller.byOwner ?? null,
    byGrant: caller.byGrant !== undefined,
    request: { via, ...request },
    sendAt,
    ...(recordAnswer && {
      inTransaction: (tx, id) => {
        const result = resultFor(id);
        return recordAnswer(tx, statusOfSend(result), result);
      },
    }),
  });
  return typeof scheduled === 'string' ? resultFor(scheduled) : rejected(scheduled);
};
