/** An act on a webhook endpoint, as the activity log has it. */

import type { Act, ActivityDetail } from '../kernel/operation.ts';
import type { Webhook } from '../store/events/webhooks.ts';

/** The URL's host alone: a path or a query may hold what lets its sender in. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

export const toAct = ({ id, workspaceId, url }: Webhook, detail: ActivityDetail = {}): Act => ({
  workspaceId,
  subject: hostOf(url),
  detail: { webhook_id: id, ...detail },
});
