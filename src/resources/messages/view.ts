/** Stored mail in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { addressKey, domainOf, formatNamed } from '../../kernel/address.ts';
import { isoTimeOrNull } from '../../kernel/clock.ts';
import { pageOfText } from '../../kernel/text/text-page.ts';
import type { ListedMessage, StoredAttachment, StoredMessage } from '../../store/mail/messages.ts';
import { type MessageDetail, type MessageView, messageShape } from './read/contract.ts';
import { deliveryShape } from './read/deliveries-contract.ts';

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

export const viewMessage = viewOf(messageShape, (message: ListedMessage) => ({
  from: formatNamed(message.from),
  to: message.to.map(formatNamed),
  cc: message.cc.map(formatNamed),
  reply_to: message.replyTo.map(formatNamed),
  reply_to_differs: replyToDiffers(message),
  status: message.status as MessageView['status'],
  authentication: viewAuthentication(message),
  attachments: message.attachments.map(viewAttachment),
}));

export const viewDelivery = viewOf(deliveryShape);

export const viewOpens = ({ opens }: StoredMessage): MessageDetail['opens'] => ({
  count: opens.count,
  first_at: isoTimeOrNull(opens.firstAt),
  last_at: isoTimeOrNull(opens.lastAt),
});

/** The parts of a message that are read in pages. */
type Parts = Pick<MessageDetail, 'text' | 'html' | 'reply_text'>;

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
