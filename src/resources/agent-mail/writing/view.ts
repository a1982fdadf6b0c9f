/** Drafts in the shape for their writers. */

import { formatNamed } from '../../../kernel/address.ts';
import { isoTime } from '../../../kernel/clock.ts';
import type { StoredMessage } from '../../../store/mail/messages.ts';
import type { DraftFileHead, MailDraft } from '../../../store/owners/mail-drafts.ts';
import { replyToDiffers } from '../../messages/view.ts';
import type { DraftView } from './contract.ts';

const viewOriginal = (message: StoredMessage): NonNullable<DraftView['original']> => ({
  thread_id: message.threadId,
  from: formatNamed(message.from),
  files: message.attachments.map(({ filename }) => filename),
  reply_to_differs: replyToDiffers(message),
});

export const viewFile = ({ id, filename, contentType, size }: DraftFileHead): DraftView['files'][number] => ({
  id,
  filename,
  content_type: contentType,
  size,
});

export const viewDraftHead = ({ id, kind, messageId, to, cc, bcc, subject, updatedAt }: MailDraft, agent: string) => ({
  draft_id: id,
  agent,
  kind,
  message_id: messageId,
  to,
  cc,
  bcc,
  subject,
  updated_at: isoTime(updatedAt),
});

export const viewDraft = (
  draft: MailDraft,
  agent: string,
  files: readonly DraftFileHead[],
  original: StoredMessage | null,
): DraftView => ({
  ...viewDraftHead(draft, agent),
  body: draft.body,
  files: files.map(viewFile),
  original: original && viewOriginal(original),
});

/** A draft that is not stored yet. */
export const viewBlank = (
  written: Pick<DraftView, 'agent' | 'kind' | 'to' | 'cc' | 'subject'>,
  original: StoredMessage | null,
): DraftView => ({
  ...written,
  draft_id: null,
  message_id: original?.id ?? null,
  bcc: [],
  body: '',
  files: [],
  updated_at: null,
  original: original && viewOriginal(original),
});
