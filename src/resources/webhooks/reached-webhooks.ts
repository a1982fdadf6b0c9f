/**
 * The endpoints that a caller reaches: a key, all of its workspace's; a token, those that its connection made, which end
 * with the connection. What a connection changed of others would outlast it.
 */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { AgentId, MailboxId, WebhookId } from '../../kernel/ids.ts';
import { findWebhook, listWebhooks, type Webhook } from '../../store/events/webhooks.ts';
import { findGrant, listReachedAgents } from '../../store/oauth/oauth-grants.ts';
import type { Db } from '../../store/store.ts';

/** In whose name an endpoint is worked with: an agent's, or a person's. */
export interface WebhookMaker extends Pick<AgentCaller, 'workspaceId' | 'byGrant'> {
  /** Null: a person. */
  agentId: AgentId | null;
  mailboxId: MailboxId | null;
}

const isReached = ({ byGrant }: WebhookMaker, { madeByGrant }: Webhook): boolean =>
  byGrant === undefined || madeByGrant === byGrant;

export const listReachedWebhooks = async (db: Db, caller: WebhookMaker): Promise<Webhook[]> =>
  (await listWebhooks(db, caller.workspaceId)).filter((webhook) => isReached(caller, webhook));

/** @throws ApiError not_found */
export const requireWebhook = async (db: Db, caller: WebhookMaker, id: WebhookId): Promise<Webhook> => {
  const webhook = await findWebhook(db, caller.workspaceId, id);
  if (!webhook || !isReached(caller, webhook)) throw new ApiError('not_found');
  return webhook;
};

/**
 * The mailbox that an endpoint of the caller's may hear where it asks for this one: a connection for some agents hears
 * theirs alone, and with null that of the agent which acts.
 * @throws ApiError invalid_token where the connection has ended meanwhile; invalid_request for a mailbox of another agent
 */
export const requireHeard = async (
  db: Db,
  caller: WebhookMaker,
  wanted: MailboxId | null,
  now: Millis,
): Promise<MailboxId | null> => {
  if (caller.byGrant === undefined) return wanted;
  const grant = await findGrant(db, caller.byGrant, now);
  const reached = grant ? await listReachedAgents(db, grant) : [];
  if (!grant || !reached.some(({ id }) => id === caller.agentId)) throw new ApiError('invalid_token');
  if (grant.agents === null) return wanted;
  if (wanted === null) return mailboxOf(caller);
  if (reached.some(({ mailboxId }) => mailboxId === wanted)) return wanted;
  throw new ApiError('invalid_request', { hint: '`mailbox_id` is of an agent that this connection is not for.' });
};
