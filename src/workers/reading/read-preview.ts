/** Reads the preview of an attachment in a thread. */

import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { ApiError } from '../../kernel/errors.ts';
import { bareMediaType } from '../../kernel/media-type.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { AttachmentPreview } from './attachment-preview.ts';
import type { AttachmentFile } from './attachment-text.ts';
import { readOrNull } from './read-or-null.ts';

type PreviewedFile = Pick<AttachmentFile, 'filename' | 'contentType'> & { content: Uint8Array };

/** @throws ApiError attachment_not_text where its kind has no preview, or it is damaged */
export const readPreview = async (
  workers: WorkerPool,
  { filename, contentType, content: octets }: PreviewedFile,
  by: QuotaSubject,
): Promise<NonNullable<AttachmentPreview>> => {
  const read = await readOrNull(workers.run({ kind: 'attachment-preview', octets, filename, contentType }, by));
  if (!read) throw new ApiError('attachment_not_text', { fields: { content_type: bareMediaType(contentType) } });
  return read;
};
