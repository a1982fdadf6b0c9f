/** Limits a caller to the endpoints and events within its reach (access/made-by.ts). */

import { isMadeWithinReach, requireWorkspaceReach } from '../../access/made-by.ts';
import { isPerson, type WorkspaceCaller } from '../../kernel/caller.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { MailboxId, WebhookId } from '../../kernel/ids.ts';
import { findWebhook, listWebhooks, type Webhook } from '../../store/events/webhooks.ts';
import { findGrant, listReachedAgents } from '../../store/oauth/oauth-grants.ts';
import type { Db } from '../../store/store.ts';

const isReached = (caller: WorkspaceCaller, webhook: Webhook): boolean =>
  isPerson(caller) || isMadeWithinReach(caller, webhook);

export const listReachedWebhooks = async (db: Db, caller: WorkspaceCaller): Promise<Webhook[]> =>
  (await listWebhooks(db, caller.workspaceId)).filter((webhook) => isReached(caller, webhook));

/** @throws ApiError not_found */
export const requireWebhook = async (db: Db, caller: WorkspaceCaller, id: WebhookId): Promise<Webhook> => {
  const webhook = await findWebhook(db, caller.workspaceId, id);
  if (!webhook || !isReached(caller, webhook)) throw new ApiError('not_found');
  return webhook;
};

/** Whether the caller may receive events of a mailbox; null: events of the workspace. */
export const mayHear = (caller: WorkspaceCaller, mailboxId: MailboxId | null): boolean =>
  isPerson(caller) || caller.reach === 'workspace' || mailboxId === caller.mailboxId;

/** @throws ApiError insufficient_scope; invalid_token where the connection has ended meanwhile */
export const requireHeard = async (
  db: Db,
  caller: WorkspaceCaller,
  wanted: MailboxId | null,
  now: Millis,
): Promise<void> => {
  if (isPerson(caller)) return;
  if (!mayHear(caller, wanted)) {
    requireWorkspaceReach(caller, `This key hears its own mailbox alone: give \`mailbox_id\` ${caller.mailboxId}.`);
  }
  if (caller.byGrant === undefined) return;
  const grant = await findGrant(db, caller.byGrant, now);
  const reached = grant ? await listReachedAgents(db, grant) : [];
  if (!reached.some(({ id }) => id === caller.agentId)) throw new ApiError('invalid_token');
};
