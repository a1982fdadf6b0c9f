/** Drafts in the shape for their writers. */

import { viewOf } from '../../../access/view-of.ts';
import { formatNamed } from '../../../kernel/address.ts';
import type { StoredMessage } from '../../../store/mail/messages.ts';
import type { DraftFileHead, DraftHead, MailDraft } from '../../../store/owners/mail-drafts.ts';
import { replyToDiffers } from '../../messages/view.ts';
import { type DraftView, draftHeadShape, fileShape } from './contract.ts';

const viewOriginal = (message: StoredMessage): NonNullable<DraftView['original']> => ({
  thread_id: message.threadId,
  from: formatNamed(message.from),
  files: message.attachments.map(({ filename }) => filename),
  reply_to_differs: replyToDiffers(message),
});

export const viewFile = viewOf(fileShape);

export const viewDraftHead = viewOf(draftHeadShape, ({ id }: DraftHead, agent: string) => ({ draft_id: id, agent }));

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
