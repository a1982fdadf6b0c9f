/** Stored suppressions in the interface's shape. */

import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import type { Suppression } from '../../store/sending/suppressions.ts';
import type { suppressionShape } from './contract.ts';

export const viewSuppression = (entry: Suppression): z.infer<typeof suppressionShape> => ({
  address: entry.address,
  reason: entry.reason,
  bounce_type: entry.bounceType,
  message_id: entry.messageId,
  until: isoTimeOrNull(entry.until),
  created_at: isoTime(entry.createdAt),
});
