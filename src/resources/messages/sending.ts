/** Sending, replying to all and forwarding: what each makes of the caller's words. The gate is outbound's. */

import { addressKey, type NamedAddress } from '../../kernel/address.ts';
import { type Caller, mailboxOf } from '../../kernel/caller.ts';
import { type Clock, isoTime, type Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ScheduledId } from '../../kernel/ids.ts';
import type { Call, Handlers } from '../../kernel/operation.ts';
import type { DraftAttachment } from '../../mail/compose.ts';
import { HEADER_ONLY } from '../../mail/defects.ts';
import { forwardInline, forwardSubject, replySubject } from '../../mail/reply.ts';
import { rejected } from '../../outbound/checks.ts';
import type { SendMail, SendOutcome, SendRequest } from '../../outbound/send-request.ts';
import { type Bookings, HORIZON_MS } from '../../schedule/bookings.ts';
import { findMessage, type StoredMessage } from '../../store/messages.ts';
import { listAddresses } from '../../store/recipients.ts';
import type { Store } from '../../store/store.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { type messagesContract, type SendResult, statusOfSend } from './contract.ts';
import { messageOf, mimeOf } from './lookup.ts';

export interface SendingNeeds {
  store: Store;
  workers: WorkerPool;
  send: SendMail;
  bookings: Bookings;
  clock: Clock;
}

type Sending = Pick<Handlers<typeof messagesContract>, 'send' | 'replyAll' | 'forward'>;

interface AttachmentInput {
  filename: string;
  content_type: string;
  content_base64: string;
}

const decodeAttachments = (attachments: readonly AttachmentInput[]): DraftAttachment[] =>
  attachments.map(({ filename, content_type, content_base64 }) => ({
    filename,
    contentType: content_type,
    content: Buffer.from(content_base64, 'base64'),
  }));

const resultOf = (outcome: SendOutcome): SendResult => {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', messageId: outcome.messageId };
    case 'held':
      return { status: 'held', pendingId: outcome.pendingId };
    case 'rejected':
      return rejected(outcome);
  }
};

/** What was done is kept under the request's Idempotency-Key; what was refused is not, and may be tried again. */
const keepReply = ({ remember }: Call): Pick<SendRequest, 'alongside'> =>
  remember
    ? {
        alongside: async (tx, outcome) => {
          const result = resultOf(outcome);
          if (outcome.kind !== 'rejected') await remember(tx, statusOfSend(result), result);
        },
      }
    : {};

export const createSending = (needs: SendingNeeds): Sending => {
  const { store, workers, send } = needs;
  return {
    send: async (caller, input, call) => {
      const { to, cc, subject, body, track_opens: trackOpens, reply_to_message_id: target } = input;
      if (input.send_at !== undefined) return book(needs, caller, { ...input, send_at: input.send_at }, call);
      const attachments = decodeAttachments(input.attachments);
      const outcome = await send({
        agentId: caller.agentId,
        to,
        cc,
        content: { kind: 'compose', subject, body, attachments, trackOpens },
        parent: target ? await parentOf(store, caller, target) : null,
        ...keepReply(call),
      });
      return resultOf(outcome);
    },

    replyAll: async (caller, { id, body, attachments, track_opens: trackOpens }, call) => {
      const parent = await messageOf(store.read, caller, id);
      const { to, cc } = replyAllRecipients(parent, await listAddresses(store.read, parent.mailboxId));
      if (to.length === 0) throw new ApiError('no_recipients');
      const subject = replySubject(parent.subject);
      const outcome = await send({
        agentId: caller.agentId,
        to,
        cc,
        content: { kind: 'compose', subject, body, attachments: decodeAttachments(attachments), trackOpens },
        parent,
        ...keepReply(call),
      });
      return resultOf(outcome);
    },

    forward: async (caller, { id, to, body, mode }, call) => {
      const parent = await messageOf(store.read, caller, id);
      const mime = await mimeOf(store.read, parent);
      if (!mime || (mode === 'wrapped' && parent.direction !== 'in')) throw new ApiError('raw_message_unavailable');
      // Of a mail that breaks its reader nothing can be quoted: it goes along whole.
      const isWrapped = mode === 'wrapped' || parent.defects.includes(HEADER_ONLY);
      const made = await (isWrapped ? wrapped : inline)(workers, parent, mime, body);
      const subject = forwardSubject(parent.subject);
      const outcome = await send({
        agentId: caller.agentId,
        to,
        cc: [],
        content: { kind: 'compose', subject, ...made, trackOpens: false },
        parent,
        ...keepReply(call),
      });
      return resultOf(outcome);
    },
  };
};

type SendInput = Parameters<Sending['send']>[1];

/** Nothing is checked but the time: quotas, suppression, policy and approval apply when it comes. */
const book = async (
  { bookings, clock }: SendingNeeds,
  caller: Caller,
  input: SendInput & { send_at: Millis },
  { remember }: Call,
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
  const id = await bookings.book({
    agentId: caller.agentId,
    mailboxId: mailboxOf(caller),
    request: {
      to: input.to,
      cc: input.cc,
      subject: input.subject,
      body: input.body,
      attachments: input.attachments.map(({ filename, content_type, content_base64 }) => ({
        filename,
        contentType: content_type,
        base64: content_base64,
      })),
      trackOpens: input.track_opens,
      parentId: input.reply_to_message_id ?? null,
    },
    sendAt: input.send_at,
    ...(remember && {
      alongside: (tx, booked) => {
        const result = resultFor(booked);
        return remember(tx, statusOfSend(result), result);
      },
    }),
  });
  return resultFor(id);
};

const parentOf = async (store: Store, caller: Caller, id: StoredMessage['id']): Promise<StoredMessage | 'missing'> =>
  (await findMessage(store.read, mailboxOf(caller), id)) ?? 'missing';

/**
 * Who answers go to (RFC 5322 section 3.6.3): the author, or where the author asks for answers elsewhere, there; all
 * others in Cc. A mail of our own is followed up to whom it went. Nobody twice, and never the mailbox itself.
 */
const replyAllRecipients = (
  parent: StoredMessage,
  own: readonly string[],
): { to: NamedAddress[]; cc: NamedAddress[] } => {
  const taken = new Set<string>(own);
  const once = (addresses: NamedAddress[]) =>
    addresses.filter(({ address }) => {
      const key = addressKey(address);
      return !taken.has(key) && taken.add(key);
    });
  const authors = parent.replyTo.length > 0 ? parent.replyTo : [parent.from];
  const to = once(parent.direction === 'out' ? parent.to : authors);
  const cc = once(parent.direction === 'out' ? parent.cc : [...parent.to, ...parent.cc]);
  // With the author gone (a mail to oneself), the others are who is answered.
  return to.length > 0 ? { to, cc } : { to: cc, cc: [] };
};

interface Content {
  body: string;
  html?: string;
  attachments: DraftAttachment[];
}

/** The original quoted under the note; its attachments go along. */
const inline = async (
  workers: WorkerPool,
  original: StoredMessage,
  mime: Uint8Array,
  note: string,
): Promise<Content> => {
  const [mail, attachments] = await Promise.all([
    workers.run({ kind: 'read', mime, headerOnly: false }),
    workers.run({ kind: 'attachments', mime }),
  ]);
  const { from, to, cc, subject, createdAt } = original;
  const { text, html, date } = mail;
  const quoted = forwardInline({ note, from, date: date ?? createdAt, subject, to, cc, text, html });
  return {
    body: quoted.body,
    ...(quoted.html != null && { html: quoted.html }),
    attachments: attachments.map((each) => ({ ...each, content: Buffer.from(each.content) })),
  };
};

/** The unaltered original as message/rfc822. */
const wrapped = async (
  workers: WorkerPool,
  original: StoredMessage,
  mime: Uint8Array,
  note: string,
): Promise<Content> => {
  const content = Buffer.from(await workers.run({ kind: 'raw', mime }));
  const filename = `${
    original.subject
      .replace(/[^\p{L}\p{N} _.-]+/gu, '')
      .trim()
      .slice(0, 80) || 'message'
  }.eml`;
  return { body: note, attachments: [{ filename, contentType: 'message/rfc822', content }] };
};
