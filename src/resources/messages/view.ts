/** Stored mail in the interface's shape. */

import { addressKey, domainOf, formatNamed } from '../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import { pageOfText } from '../../kernel/text/text-page.ts';
import type { ListedMessage, StoredAttachment, StoredMessage } from '../../store/mail/messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { MessageDetail, MessageView } from './read/contract.ts';

const viewAuthentication = ({ authentication }: ListedMessage): MessageView['authentication'] => {
  if (authentication === null) return null;
  const { spf, dkim, dmarc, arc = 'none', from_domain, aligned = dmarc === 'pass' } = authentication;
  return { spf, dkim, dmarc, arc, from_domain, aligned };
};

export const attachmentId = (index: number): string => `att_${index + 1}`;

/** @param index of the attachment in its mail, a part of its id */
export const viewAttachment = ({ filename, contentType, size, contentId = null }: StoredAttachment, index: number) => ({
  id: attachmentId(index),
  filename,
  contentType,
  size,
  content_id: contentId,
});

/** Whether answers to a received mail go to another domain than its author's, which misleads readers. */
export const replyToDiffers = ({ direction, from, replyTo }: ListedMessage): boolean =>
  direction === 'in' &&
  replyTo.some(({ address }) => domainOf(addressKey(address)) !== domainOf(addressKey(from.address)));

export const viewMessage = (message: ListedMessage): MessageView => ({
  id: message.id,
  thread_id: message.threadId,
  direction: message.direction,
  from: formatNamed(message.from),
  to: message.to.map(formatNamed),
  cc: message.cc.map(formatNamed),
  reply_to: message.replyTo.map(formatNamed),
  reply_to_differs: replyToDiffers(message),
  subject: message.subject,
  snippet: message.snippet,
  unread: message.unread,
  archived: message.archived,
  status: message.status as MessageView['status'],
  spam_verdict: message.spamVerdict,
  authentication: viewAuthentication(message),
  attachments: message.attachments.map(viewAttachment),
  rfc_message_id: message.rfcMessageId,
  in_reply_to: message.inReplyTo,
  automatic: message.automatic,
  defects: message.defects,
  created_at: isoTime(message.createdAt),
});

export const viewDelivery = (delivery: Delivery): MessageDetail['deliveries'][number] => ({
  address: delivery.address,
  status: delivery.status,
  code: delivery.code,
  enhanced_code: delivery.enhancedCode,
  response: delivery.response,
  remote_host: delivery.remoteHost,
  tls: delivery.tls,
  attempts: delivery.attempts,
  last_attempt_at: isoTimeOrNull(delivery.lastAttemptAt),
  next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
});

export const viewOpens = ({ opens }: StoredMessage): MessageDetail['opens'] => ({
  count: opens.count,
  first_at: isoTimeOrNull(opens.firstAt),
  last_at: isoTimeOrNull(opens.lastAt),
});

/** The parts of a message that are read in pages. */
interface Parts {
  text: string;
  html: string | null;
  reply_text: string;
}

/** All parts, one of them cut to a page. */
export const pageOfPart = (
  parts: Parts,
  part: keyof Parts,
  offset: number,
  maxChars: number | undefined,
): Parts & { text_chars: number; next_offset: number | null } => {
  const { text, text_chars, next_offset } = pageOfText(parts[part] ?? '', offset, maxChars);
  return { ...parts, ...(parts[part] !== null && { [part]: text }), text_chars, next_offset };
};
