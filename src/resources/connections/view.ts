/** What ended with connections, in the interface's shape. */

import type { Webhook } from '../../store/events/webhooks.ts';
import type { Narrowed } from '../../store/oauth/grant-endings.ts';
import type { OauthGrant } from '../../store/oauth/oauth-grants.ts';

export const viewEndedWebhooks = (webhooks: readonly Webhook[]) => webhooks.map(({ id, url }) => ({ id, url }));

export const viewEnded = ({ grants, webhooks }: Narrowed) => ({
  connections: grants.map(({ id, clientName }) => ({ id, client_name: clientName })),
  webhooks: viewEndedWebhooks(webhooks),
});

/** In an act's detail; where nothing ended, it says nothing of it. */
export const toEndedDetail = ({ grants, webhooks }: Narrowed) => ({
  ...(grants.length > 0 && { connections_ended: grants.map(({ id }) => id) }),
  ...(webhooks.length > 0 && { webhooks_ended: webhooks.map(({ id }) => id) }),
});

/** An act on a grant that ended, as the activity log has it. */
export const toRevokedDetail = ({ id, clientId }: OauthGrant, webhooks: readonly Webhook[]) => ({
  connection: id,
  client_id: clientId,
  ...toEndedDetail({ grants: [], webhooks: [...webhooks] }),
});
