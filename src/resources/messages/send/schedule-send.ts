/** Schedules a send with `send_at`. */

import type { z } from 'zod';
import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { type Clock, isoTime, type Millis } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { ScheduledId } from '../../../kernel/ids.ts';
import type { Call } from '../../../kernel/operation.ts';
import { HORIZON_MS, type ScheduledDispatch } from '../../../outbound/scheduled/scheduled-dispatch.ts';
import { type SendResult, type sendOperations, statusOfSend } from './contract.ts';

export interface ScheduleNeeds {
  scheduledDispatch: ScheduledDispatch;
  clock: Clock;
}

type SendInput = z.output<(typeof sendOperations)['send']['input']>;

/** Checks the time alone: quotas, suppression, policy and approval apply when the mail is due. */
export const scheduleSend = async (
  { scheduledDispatch, clock }: ScheduleNeeds,
  caller: AgentCaller,
  input: SendInput & { send_at: Millis },
  { recordAnswer, via }: Call,
): Promise<SendResult> => {
  const ahead = input.send_at - clock.now();
  if (ahead <= 0 || ahead > HORIZON_MS) {
    throw new ApiError('invalid_request', { hint: '`send_at` lies in the future, at most 30 days ahead.' });
  }
  const resultFor = (id: ScheduledId): SendResult => ({
    status: 'scheduled',
    scheduled_id: id,
    send_at: isoTime(input.send_at),
  });
  const id = await scheduledDispatch.schedule({
    agentId: caller.agentId,
    mailboxId: mailboxOf(caller),
    request: {
      via,
      to: input.to,
      cc: input.cc,
      bcc: input.bcc,
      replyTo: input.reply_to ? [input.reply_to] : [],
      subject: input.subject,
      body: input.body,
      ...(input.html !== undefined && { html: input.html }),
      attachments: input.attachments.map(({ filename, content_type, content_base64 }) => ({
        filename,
        contentType: content_type,
        base64: content_base64,
      })),
      trackOpens: input.track_opens,
      parentId: input.reply_to_message_id ?? null,
    },
    sendAt: input.send_at,
    ...(recordAnswer && {
      alongside: (tx, id) => {
        const result = resultFor(id);
        return recordAnswer(tx, statusOfSend(result), result);
      },
    }),
  });
  return resultFor(id);
};
