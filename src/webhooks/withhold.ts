/**
 * Withholds endpoints: all of a suspended agent, and those that a held agent has set up, until a person allows them.
 */

import type { Events } from '../events/publish-events.ts';
import type { Agent } from '../store/accounts/agents.ts';
import { listWebhooksOfAgent, setWithheld, type Webhook } from '../store/events/webhooks.ts';
import type { Tx } from '../store/store.ts';

/** The `reason` of an endpoint in the list of held mail. */
export const ENDPOINT_WAITS = 'endpoint_waits';

/** The line for an endpoint in the list of held mail. */
export const describeWaiting = ({ url }: Pick<Webhook, 'url'>): string => `Webhook endpoint ${url}`;

/** Announces an endpoint that a held agent has made or changed. */
export const announceWaiting = (
  events: Events,
  tx: Tx,
  { id, workspaceId, url }: Pick<Webhook, 'id' | 'workspaceId' | 'url'>,
  { address, mailboxId }: Pick<Agent, 'address' | 'mailboxId'>,
): Promise<void> =>
  events.publish(tx, {
    name: 'approval.requested',
    workspaceId,
    mailboxId,
    data: {
      pending_id: id,
      mailbox: address,
      to: [],
      subject: describeWaiting({ url }),
      reason: ENDPOINT_WAITS,
      expires_at: null,
      webhook_id: id,
    },
  });

/** Announces that a person has allowed or ended an endpoint. @param note of the person */
export const announceDecided = (
  events: Events,
  tx: Tx,
  { id, workspaceId, url }: Pick<Webhook, 'id' | 'workspaceId' | 'url'>,
  mailboxId: Agent['mailboxId'] | null,
  { isAllowed, note }: { isAllowed: boolean; note: string | null },
): Promise<void> => {
  const of = { workspaceId, mailboxId };
  const data = { pending_id: id, to: [], subject: describeWaiting({ url }), webhook_id: id };
  return isAllowed
    ? events.publish(tx, { name: 'approval.approved', ...of, data: { ...data, message_id: null, edited: false } })
    : events.publish(tx, { name: 'approval.rejected', ...of, data: { ...data, decision_note: note } });
};

/**
 * Withholds or releases an agent's endpoints with its suspension. An endpoint that waits for a person keeps waiting,
 * even if the agent is no longer held.
 */
export const followAgentState = async (tx: Tx, { id, status }: Agent): Promise<void> => {
  for (const webhook of await listWebhooksOfAgent(tx.db, id)) {
    if (webhook.withheld === 'approval') continue;
    const withheld = status === 'suspended' ? 'suspended' : null;
    if (withheld !== webhook.withheld) await setWithheld(tx, webhook.id, withheld);
  }
};
