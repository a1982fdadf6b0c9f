/**
 * Ends or narrows a grant, in one transaction with its codes, its tokens, and its webhook endpoints. Accepted mail
 * stays accepted; the caller cancels scheduled mail.
 */

import type { Millis } from '../../kernel/clock.ts';
import type { GrantId, OwnerId, WorkspaceId } from '../../kernel/ids.ts';
import { deleteWebhook, listWebhooksMadeBy, type Webhook } from '../events/webhooks.ts';
import { listWorkspaceOwners, listWorkspacesOf } from '../owners/owners.ts';
import type { Tx } from '../store.ts';
import { deleteGrantRow, listAgentsOfOwner, listGrantsOf, type OauthGrant, setGrantAgents } from './oauth-grants.ts';
import { deleteOauthRecordsOf } from './oauth-records.ts';

const deleteWebhooks = async (tx: Tx, ended: readonly Webhook[]): Promise<void> => {
  // Their waiting deliveries are purged with the events.
  for (const { id } of ended) await deleteWebhook(tx, id);
};

/** @returns the endpoints that ended with it; null where there was no such grant */
export const endGrant = async (tx: Tx, id: GrantId): Promise<Webhook[] | null> => {
  await deleteOauthRecordsOf(tx, id, null);
  const ended = await listWebhooksMadeBy(tx.db, id);
  await deleteWebhooks(tx, ended);
  return (await deleteGrantRow(tx, id)) ? ended : null;
};

/** Grants and endpoints that ended because the owner lost access. */
export interface Narrowed {
  grants: OauthGrant[];
  webhooks: Webhook[];
}

/**
 * Removes from an owner's grants all that the owner no longer reaches, so that it does not return with the owner.
 * Agents leave a grant; a grant without agents ends, and so do endpoints beyond its reach.
 */
export const narrowGrantsOf = async (tx: Tx, ownerId: OwnerId, now: Millis): Promise<Narrowed> => {
  const owned = new Map((await listAgentsOfOwner(tx.db, ownerId)).map((agent) => [agent.id, agent]));
  const workspaces = new Set((await listWorkspacesOf(tx.db, ownerId)).map(({ id }) => id));
  const narrowed: Narrowed = { grants: [], webhooks: [] };
  for (const grant of await listGrantsOf(tx.db, ownerId, now)) {
    const left = grant.agents?.flatMap((id) => owned.get(id) ?? []) ?? null;
    if (left === null ? workspaces.size === 0 : left.length === 0) {
      narrowed.webhooks.push(...((await endGrant(tx, grant.id)) ?? []));
      narrowed.grants.push(grant);
      continue;
    }
    if (left && left.length !== grant.agents?.length) {
      await setGrantAgents(
        tx,
        grant.id,
        left.map(({ id }) => id),
      );
    }
    const reached = left ? new Set(left.map(({ workspaceId }) => workspaceId)) : workspaces;
    const mailboxes = left && new Set(left.map(({ mailboxId }) => mailboxId));
    const ended = (await listWebhooksMadeBy(tx.db, grant.id)).filter(
      ({ mailboxId, workspaceId }) =>
        !reached.has(workspaceId) || (mailboxId !== null && mailboxes?.has(mailboxId) === false),
    );
    await deleteWebhooks(tx, ended);
    narrowed.webhooks.push(...ended);
  }
  return narrowed;
};

/** The same for each owner of a workspace, once one of its agents is removed. */
export const narrowGrantsIn = async (tx: Tx, workspaceId: WorkspaceId, now: Millis): Promise<Narrowed> => {
  const all: Narrowed = { grants: [], webhooks: [] };
  for (const { id } of await listWorkspaceOwners(tx.db, workspaceId)) {
    const { grants, webhooks } = await narrowGrantsOf(tx, id, now);
    all.grants.push(...grants);
    all.webhooks.push(...webhooks);
  }
  return all;
};
