/** Ended connections and what ended with them, in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { formatNamed } from '../../kernel/address.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { OauthGrant } from '../../store/oauth/oauth-grants.ts';
import type { Narrowed } from '../../store/oauth/revoke-grants.ts';
import type { ScheduledSend } from '../../store/sending/scheduled-sends.ts';
import { endedScheduled } from './contract.ts';

export const viewEndedWebhooks = (webhooks: readonly Webhook[]) => webhooks.map(({ id, url }) => ({ id, url }));

const viewScheduled = viewOf(endedScheduled.element, ({ id, to }: ScheduledSend) => ({
  scheduled_id: id,
  to: to.map(formatNamed),
}));
export const viewEndedScheduled = (sends: readonly ScheduledSend[]) => sends.map(viewScheduled);

/** Ended grants and endpoints, with the cancelled mail. */
export type Ended = Narrowed & { scheduled: readonly ScheduledSend[] };

export const viewEnded = ({ grants, webhooks, scheduled }: Ended) => ({
  connections: grants.map(({ id, clientName }) => ({ id, client_name: clientName })),
  webhooks: viewEndedWebhooks(webhooks),
  scheduled: viewEndedScheduled(scheduled),
});

/** For an act's detail; an empty list is left out. */
export const toEndedDetail = ({ grants, webhooks, scheduled }: Ended) => ({
  ...(grants.length > 0 && { connections_ended: grants.map(({ id }) => id) }),
  ...(webhooks.length > 0 && { webhooks_ended: webhooks.map(({ id }) => id) }),
  ...(scheduled.length > 0 && { scheduled_cancelled: scheduled.map(({ id }) => id) }),
});

/** The act of a grant's end, as the activity log has it. */
export const toRevokedDetail = ({ id, clientId }: OauthGrant, ended: Omit<Ended, 'grants'>) => ({
  connection: id,
  client_id: clientId,
  ...toEndedDetail({ ...ended, grants: [] }),
});
