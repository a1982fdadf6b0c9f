/** The HTML of a mail in the shape that a frame takes, and previews of attachments. */

import type { z } from 'zod';
import type { StoredAttachment } from '../../store/mail/messages.ts';
import type { AttachmentPreview } from '../../workers/reading/attachment-preview.ts';
import type { frameShape } from './contract.ts';
import type { Preview } from './preview-contract.ts';

export const viewFrame = (
  html: string | null,
  remote: boolean,
  attachments: readonly StoredAttachment[],
): z.infer<typeof frameShape> => ({
  html: html ?? '',
  remote,
  embedded: attachments.flatMap(({ contentId, filename }) => (contentId ? [{ content_id: contentId, filename }] : [])),
});

export const viewPreview = (read: NonNullable<AttachmentPreview>): Preview =>
  read.kind === 'text' ? { kind: 'text', text: read.text, truncated: read.isCut } : read;
