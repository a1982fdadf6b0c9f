/** Sends, replies and forwards: builds the request that the send gate (outbound/gate) checks. */

import { toQuotaSubject } from '../../../budget/quota-subject.ts';
import { formatNamed, type NamedAddress } from '../../../kernel/address.ts';
import { type AgentCaller, mailboxOf, toCredential } from '../../../kernel/caller.ts';
import { isoTime, type Millis, SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Call, Handlers } from '../../../kernel/handlers.ts';
import type { MessageId } from '../../../kernel/ids.ts';
import { asBuffer } from '../../../kernel/text/octets.ts';
import type { DraftAttachment } from '../../../mail/compose/compose-message.ts';
import { forwardSubject, replySubject } from '../../../mail/compose/reply-fields.ts';
import { HEADER_ONLY } from '../../../mail/mime/defects.ts';
import type { DryRunOutcome } from '../../../outbound/dry-run/dry-run.ts';
import { attachmentsAreSmall, MAX_ATTACHMENT_BYTES, rejected } from '../../../outbound/gate/gate-checks.ts';
import { hintOfHold } from '../../../outbound/gate/hold.ts';
import type { SendContent, SendOutcome, SendRequest } from '../../../outbound/gate/send-request.ts';
import { listAddresses } from '../../../store/accounts/recipient-lookup.ts';
import { findMessage, type StoredMessage } from '../../../store/mail/messages.ts';
import type { Store } from '../../../store/store.ts';
import { readInTime } from '../../../workers/reading/read-in-time.ts';
import { readOrNull } from '../../../workers/reading/read-or-null.ts';
import { approvalUrl } from '../../held-mail/view.ts';
import type { Needs } from '../../needs.ts';
import { createAttachments } from '../attachments.ts';
import { findMime, requireMessage } from '../lookup.ts';
import { replyToDiffers } from '../view.ts';
import {
  type AnswerInput,
  type AttachmentInput,
  type DryRunResult,
  type ForwardMore,
  type SendResult,
  type sendOperations,
  statusOfSend,
} from './contract.ts';
import { forwardedInline, forwardedWhole } from './forwarding.ts';
import { replyAllRecipients, replyRecipients } from './reply-recipients.ts';
import { type ScheduleNeeds, scheduleSend } from './schedule-send.ts';

export type SendingNeeds = ScheduleNeeds & Needs<'store' | 'workers' | 'send' | 'dryRun' | 'publicUrl'>;

const changed = ({ htmlChanged }: { htmlChanged: string[] }): Pick<SendResult, 'html_changed'> =>
  htmlChanged.length === 0 ? {} : { html_changed: htmlChanged };

const toResult = (outcome: SendOutcome, publicUrl: string): SendResult => {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', messageId: outcome.messageId, ...changed(outcome) };
    case 'held':
      return {
        status: 'held',
        pendingId: outcome.pendingId,
        reason: outcome.reason,
        hint: hintOfHold(outcome.reason),
        expires_at: isoTime(outcome.expiresAt),
        approval_url: approvalUrl(publicUrl, outcome.pendingId),
        ...changed(outcome),
      };
    case 'rejected':
      return rejected(outcome);
  }
};

const viewDryRun = ({ retryAt, sendClass, htmlChanged, quotaLeft, ...rest }: DryRunOutcome): DryRunResult => ({
  dry_run: true,
  ...rest,
  ...(retryAt !== undefined && { retryAfter: isoTime(retryAt) }),
  send_class: sendClass,
  html_changed: htmlChanged,
  quota_left: quotaLeft,
});

/** Records an accepted send under the request's Idempotency-Key; a refused one may be repeated. */
const keepReply = ({ recordAnswer }: Call, publicUrl: string): Pick<SendRequest, 'inTransaction'> =>
  recordAnswer
    ? {
        inTransaction: async (tx, outcome) => {
          const result = toResult(outcome, publicUrl);
          if (outcome.kind !== 'rejected') await recordAnswer(tx, statusOfSend(result), result);
        },
      }
    : {};

/** The call, with further fields in the recorded answer. */
const recordingAlso = ({ recordAnswer, ...call }: Call, more: Partial<SendResult>): Call => ({
  ...call,
  recordAnswer: recordAnswer && ((tx, status, body) => recordAnswer(tx, status, { ...(body as SendResult), ...more })),
});

const senderOf = (
  { agentId, keyId, byGrant, byOwner }: AgentCaller,
  { via }: Call,
): Pick<SendRequest, 'agentId' | 'via' | 'credential' | 'sentBy'> => ({
  agentId,
  via,
  ...(byOwner === undefined && { credential: toCredential(keyId, byGrant !== undefined) }),
  sentBy: byOwner,
});

/** A send that passes the gate now, or is scheduled. */
interface Sending {
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  content: SendContent & { kind: 'compose' };
  parent: StoredMessage | 'missing' | null;
  parentId: MessageId | null;
  /** Null: at once. */
  sendAt: Millis | null;
  isDry: boolean;
  sendsOnDoubtful: boolean;
}

const DRY_RUN_IS_NOW = '`dry_run` tells what a send would do now: leave out `send_at` and `undo_seconds`.';

type SendHandlers = Handlers<typeof sendOperations>;
type Forward = SendHandlers['forward'];

export const createSending = (
  needs: SendingNeeds,
): Omit<SendHandlers, 'forward'> & {
  forward: (
    caller: Parameters<Forward>[0],
    input: Parameters<Forward>[1] & ForwardMore,
    call: Call,
  ) => ReturnType<Forward>;
} => {
  const { store, workers, send, dryRun, publicUrl, clock } = needs;

  const attached = createAttachments(needs);

  /** Attachments given as bytes, and those of mail that the caller may read. */
  const findAttachments = async (
    caller: AgentCaller,
    given: readonly AttachmentInput[],
  ): Promise<Pick<Sending, 'sendsOnDoubtful'> & { attachments: DraftAttachment[] }> => {
    const found: (Awaited<ReturnType<typeof attached.find>> | null)[] = [];
    for (const { from_message_id: id, filename } of given) {
      found.push(id === undefined ? null : await attached.find(caller, id, filename));
    }
    // Each message is parsed once, for all of its files.
    const filesOf = new Map<MessageId, DraftAttachment[]>();
    const readFile = async ({ message, filename }: NonNullable<(typeof found)[number]>): Promise<DraftAttachment[]> => {
      const names = found.flatMap((each) => (each?.message.id === message.id ? [each.filename] : []));
      const files = filesOf.get(message.id) ?? (await attached.read(caller, message, names));
      filesOf.set(message.id, files);
      return files.filter((each) => each.filename === filename);
    };
    const attachments: DraftAttachment[] = [];
    let octets = 0;
    for (const [at, { filename, content_type: contentType, content_base64: base64 }] of given.entries()) {
      const source = found[at];
      // The gate refuses the total size, so the rest is not read.
      if (octets > MAX_ATTACHMENT_BYTES) break;
      const read = source
        ? await readFile(source)
        : [{ filename, contentType, content: Buffer.from(base64 ?? '', 'base64') }];
      attachments.push(...read);
      octets += read.reduce((sum, { content }) => sum + content.length, 0);
    }
    return { attachments, sendsOnDoubtful: found.some((source) => source?.message.doubtful === true) };
  };

  const undoUntil = (seconds: number): Millis | null => (seconds === 0 ? null : clock.now() + seconds * SECOND);

  const dispatch = async (
    caller: AgentCaller,
    { sendAt, isDry, parentId, ...request }: Sending,
    call: Call,
  ): Promise<SendResult | DryRunResult> => {
    if (isDry) {
      if (sendAt !== null) throw new ApiError('invalid_request', { hint: DRY_RUN_IS_NOW });
      return viewDryRun(await readInTime(dryRun({ ...senderOf(caller, call), ...request })));
    }
    if (sendAt !== null) {
      // A mail that the gate would always refuse is not scheduled.
      const attachmentBytes = request.content.attachments.reduce((sum, each) => sum + each.content.length, 0);
      const rejection = attachmentsAreSmall({ attachmentBytes });
      if (rejection) return rejected(rejection);
      const { to, cc, bcc, content } = request;
      const { subject, body, html, replyTo = [], trackOpens } = content;
      const attachments = content.attachments.map(({ content: bytes, ...each }) => ({
        ...each,
        base64: asBuffer(bytes).toString('base64'),
      }));
      const parts = { subject, body, ...(html !== undefined && { html }), replyTo, attachments, trackOpens };
      const { sendsOnDoubtful } = request;
      return scheduleSend(needs, caller, { to, cc, bcc, ...parts, parentId, sendsOnDoubtful }, sendAt, call);
    }
    const outcome = await readInTime(send({ ...senderOf(caller, call), ...request, ...keepReply(call, publicUrl) }));
    return toResult(outcome, publicUrl);
  };

  const answer = async (
    caller: AgentCaller,
    {
      id,
      body,
      attachments: given,
      track_opens: trackOpens,
      undo_seconds: undo,
      dry_run: isDry,
    }: AnswerInput & { id: MessageId },
    recipientsOf: typeof replyRecipients,
    call: Call,
  ): Promise<SendResult | DryRunResult> => {
    const parent = await requireMessage(store.read, caller, id);
    const { to, cc } = recipientsOf(parent, await listAddresses(store.read, parent.mailboxId));
    if (to.length === 0) throw new ApiError('no_recipients');
    const subject = replySubject(parent.subject);
    const { attachments, sendsOnDoubtful } = await findAttachments(caller, given);
    const content = { kind: 'compose', subject, body, attachments, trackOpens } as const;
    const about = { parent, parentId: id, sendAt: undoUntil(undo), isDry, sendsOnDoubtful };
    const sending = { to, cc, bcc: [], content, ...about };
    if (!replyToDiffers(parent)) return dispatch(caller, sending, call);
    const elsewhere = { reply_to_differs: to.map(formatNamed) };
    const result = await dispatch(caller, sending, recordingAlso(call, elsewhere));
    return 'dry_run' in result || result.status === 'rejected' ? result : { ...result, ...elsewhere };
  };

  return {
    send: async (caller, input, call) => {
      const { to, cc, bcc, subject, body, html, reply_to: replyTo, reply_to_message_id: target = null } = input;
      if (html === undefined && (body ?? '').trim() === '') throw new ApiError('body_required');
      const sendAt = input.send_at ?? undoUntil(input.undo_seconds);
      const { attachments, sendsOnDoubtful } = await findAttachments(caller, input.attachments);
      const content = {
        kind: 'compose' as const,
        subject,
        body: body ?? '',
        ...(html !== undefined && { html }),
        replyTo: replyTo ? [replyTo] : [],
        attachments,
        trackOpens: input.track_opens,
      };
      const parent = target && sendAt === null ? await findParent(store, caller, target) : null;
      const about = { parent, parentId: target, sendAt, isDry: input.dry_run, sendsOnDoubtful };
      const sending = { to, cc, bcc, content, ...about };
      return dispatch(caller, sending, call);
    },

    reply: (caller, input, call) => answer(caller, input, replyRecipients, call),
    replyAll: (caller, input, call) => answer(caller, input, replyAllRecipients, call),

    forward: async (
      caller,
      { id, to, cc = [], bcc = [], subject, body, mode, attachments: given, sendAt, ...when },
      call,
    ) => {
      const parent = await requireMessage(store.read, caller, id);
      const mime = await findMime(store.read, parent);
      if (!mime || (mode === 'wrapped' && parent.direction !== 'in')) throw new ApiError('raw_message_unavailable');
      const isWhole = mode === 'wrapped' || parent.defects.includes(HEADER_ONLY);
      const by = toQuotaSubject(caller);
      // A mail that crashes its reader cannot be quoted: it is attached whole.
      const inline = isWhole ? null : await readOrNull(forwardedInline(workers, by, parent, mime, body));
      const made = inline ?? (await forwardedWhole(workers, by, parent, mime, body));
      const own = inline ? await attached.read(caller, parent, null) : made.attachments;
      const more = await findAttachments(caller, given);
      const content = {
        kind: 'compose' as const,
        subject: subject ?? forwardSubject(parent.subject),
        trackOpens: false,
        ...made,
        attachments: [...own, ...more.attachments],
      };
      const { sendsOnDoubtful } = more;
      const about = { sendAt: sendAt ?? undoUntil(when.undo_seconds), isDry: when.dry_run, sendsOnDoubtful };
      const sending = { to, cc, bcc, content, parent, parentId: id, ...about };
      return dispatch(caller, sending, call);
    },
  };
};

const findParent = async (store: Store, caller: AgentCaller, id: MessageId): Promise<StoredMessage | 'missing'> =>
  (await findMessage(store.read, mailboxOf(caller), id)) ?? 'missing';
