/** The activity log's entry for an act on a webhook endpoint. */

import type { Act, ActivityDetail } from '../kernel/operation.ts';
import type { Webhook } from '../store/events/webhooks.ts';

/** Only the URL's host: a path or query may contain credentials. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

export const toAct = ({ id, workspaceId, url }: Webhook, detail: ActivityDetail = {}): Act => ({
  workspaceId,
  subject: hostOf(url),
  detail: { webhook_id: id, ...detail },
});
