/** The HTML of a mail in the shape that a frame takes. */

import type { z } from 'zod';
import type { StoredAttachment } from '../../store/mail/messages.ts';
import type { frameShape } from './contract.ts';

export const viewFrame = (
  html: string | null,
  remote: boolean,
  attachments: readonly StoredAttachment[],
): z.infer<typeof frameShape> => ({
  html: html ?? '',
  remote,
  embedded: attachments.flatMap(({ contentId, filename }) => (contentId ? [{ content_id: contentId, filename }] : [])),
});
