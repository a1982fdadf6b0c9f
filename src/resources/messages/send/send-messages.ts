/** Sending, replying and forwarding: builds the request that the send gate (outbound/gate) checks. */

import { callerOccupant } from '../../../budget/occupant.ts';
import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { MessageId } from '../../../kernel/ids.ts';
import type { Call, Handlers } from '../../../kernel/operation.ts';
import type { DraftAttachment } from '../../../mail/compose/compose-message.ts';
import { forwardSubject, replySubject } from '../../../mail/compose/reply-fields.ts';
import { HEADER_ONLY } from '../../../mail/mime/defects.ts';
import { rejected } from '../../../outbound/gate/gate-checks.ts';
import type { SendMail, SendOutcome, SendRequest } from '../../../outbound/gate/send-request.ts';
import { listAddresses } from '../../../store/accounts/recipient-lookup.ts';
import { findMessage, type StoredMessage } from '../../../store/mail/messages.ts';
import type { Store } from '../../../store/store.ts';
import type { WorkerPool } from '../../../workers/worker-pool.ts';
import { findMime, requireMessage } from '../lookup.ts';
import {
  type AnswerInput,
  type AttachmentInput,
  type SendResult,
  type sendOperations,
  statusOfSend,
} from './contract.ts';
import { forwardedInline, forwardedWhole } from './forwarding.ts';
import { replyAllRecipients, replyRecipients } from './reply-recipients.ts';
import { type ScheduleNeeds, scheduleSend } from './schedule-send.ts';

export interface SendingNeeds extends ScheduleNeeds {
  store: Store;
  workers: WorkerPool;
  send: SendMail;
}

const decodeAttachments = (attachments: readonly AttachmentInput[]): DraftAttachment[] =>
  attachments.map(({ filename, content_type, content_base64 }) => ({
    filename,
    contentType: content_type,
    content: Buffer.from(content_base64, 'base64'),
  }));

const toResult = (outcome: SendOutcome): SendResult => {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', messageId: outcome.messageId };
    case 'held':
      return { status: 'held', pendingId: outcome.pendingId };
    case 'rejected':
      return rejected(outcome);
  }
};

/** Records an accepted send under the request's Idempotency-Key; a refused one is not recorded, and may be repeated. */
const keepReply = ({ recordAnswer }: Call): Pick<SendRequest, 'alongside'> =>
  recordAnswer
    ? {
        alongside: async (tx, outcome) => {
          const result = toResult(outcome);
          if (outcome.kind !== 'rejected') await recordAnswer(tx, statusOfSend(result), result);
        },
      }
    : {};

export const createSending = (needs: SendingNeeds): Handlers<typeof sendOperations> => {
  const { store, workers, send } = needs;

  const answer = async (
    caller: AgentCaller,
    { id, body, attachments, track_opens: trackOpens }: AnswerInput & { id: MessageId },
    recipientsOf: typeof replyRecipients,
    call: Call,
  ): Promise<SendResult> => {
    const parent = await requireMessage(store.read, caller, id);
    const { to, cc } = recipientsOf(parent, await listAddresses(store.read, parent.mailboxId));
    if (to.length === 0) throw new ApiError('no_recipients');
    const subject = replySubject(parent.subject);
    const outcome = await send({
      agentId: caller.agentId,
      via: call.via,
      to,
      cc,
      content: { kind: 'compose', subject, body, attachments: decodeAttachments(attachments), trackOpens },
      parent,
      ...keepReply(call),
    });
    return toResult(outcome);
  };

  return {
    send: async (caller, input, call) => {
      if (input.send_at !== undefined) return scheduleSend(needs, caller, { ...input, send_at: input.send_at }, call);
      const { to, cc, bcc, subject, body, html, reply_to: replyTo, reply_to_message_id: target } = input;
      const outcome = await send({
        agentId: caller.agentId,
        via: call.via,
        to,
        cc,
        bcc,
        content: {
          kind: 'compose',
          subject,
          body,
          ...(html !== undefined && { html }),
          replyTo: replyTo ? [replyTo] : [],
          attachments: decodeAttachments(input.attachments),
          trackOpens: input.track_opens,
        },
        parent: target ? await findParent(store, caller, target) : null,
        ...keepReply(call),
      });
      return toResult(outcome);
    },

    reply: (caller, input, call) => answer(caller, input, replyRecipients, call),
    replyAll: (caller, input, call) => answer(caller, input, replyAllRecipients, call),

    forward: async (caller, { id, to, body, mode }, call) => {
      const parent = await requireMessage(store.read, caller, id);
      const mime = await findMime(store.read, parent);
      if (!mime || (mode === 'wrapped' && parent.direction !== 'in')) throw new ApiError('raw_message_unavailable');
      // A mail that breaks its reader cannot be quoted: it is attached whole.
      const isWhole = mode === 'wrapped' || parent.defects.includes(HEADER_ONLY);
      const by = callerOccupant(caller);
      const made = await (isWhole ? forwardedWhole : forwardedInline)(workers, by, parent, mime, body);
      const subject = forwardSubject(parent.subject);
      const outcome = await send({
        agentId: caller.agentId,
        via: call.via,
        to,
        cc: [],
        content: { kind: 'compose', subject, ...made, trackOpens: false },
        parent,
        ...keepReply(call),
      });
      return toResult(outcome);
    },
  };
};

const findParent = async (store: Store, caller: AgentCaller, id: MessageId): Promise<StoredMessage | 'missing'> =>
  (await findMessage(store.read, mailboxOf(caller), id)) ?? 'missing';
