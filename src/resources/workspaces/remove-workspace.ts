/**
 * Removal of a workspace, with immediate effect: keys end, addresses answer 550, webhooks are off, waiting mail is
 * cancelled. Its data is deleted in the background, from then on.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { ActivityLog } from '../../activity/activity-log.ts';
import { removeDomain } from '../../domains/remove-domain.ts';
import { type Address, addressKey } from '../../kernel/address.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { findAgent } from '../../store/accounts/agents.ts';
import { CLAIM_WITHIN_MS, isUnclaimed, listUnclaimed } from '../../store/accounts/claims.ts';
import { listDomains } from '../../store/accounts/domains.ts';
import { deleteSomeOfMailbox } from '../../store/accounts/mailbox-rows.ts';
import { listQueuedOf } from '../../store/accounts/removed-agents.ts';
import {
  deleteKeysOfWorkspace,
  deleteSomeOfWorkspace,
  listMailboxesOf,
  listWorkspacesToPurge,
  setWorkspacePurged,
  setWorkspaceRemoved,
} from '../../store/accounts/removed-workspaces.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { disableWebhook, listWebhooks } from '../../store/events/webhooks.ts';
import { narrowGrantsOf } from '../../store/oauth/revoke-grants.ts';
import { endOwnerWithoutWorkspace } from '../../store/owners/ended-owners.ts';
import { isOwnerAddress } from '../../store/owners/own-addresses.ts';
import { listWorkspaceOwners, removeWorkspaceOwners } from '../../store/owners/owners.ts';
import { findDelivery } from '../../store/sending/deliveries.ts';
import { listQueue } from '../../store/sending/delivery-queue.ts';
import type { Store, Tx } from '../../store/store.ts';
import { CLAIMS, NOTICES, ROLE_MAIL, systemAddress } from './system-senders.ts';

/** Rows of one transaction, for which other writers wait. */
const ROWS_AT_ONCE = 50;
/** Transactions of one run: a stop of the daemon waits for a run's end. */
const MAX_STEPS = 200;
const WORKSPACES_AT_ONCE = 20;

/** @returns false where it was removed before */
export const removeWorkspace = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> => {
  if (!(await setWorkspaceRemoved(tx, id, now))) return false;
  const owners = await listWorkspaceOwners(tx.db, id);
  await removeWorkspaceOwners(tx, id);
  for (const owner of owners) {
    await narrowGrantsOf(tx, owner.id, now);
    await endOwnerWithoutWorkspace(tx, owner.id);
  }
  // Frees its custom domains for other workspaces.
  for (const domain of await listDomains(tx.db, id)) if (domain.kind === 'custom') await removeDomain(tx, domain);
  // Paused, so that no events are kept.
  for (const webhook of await listWebhooks(tx.db, id)) await disableWebhook(tx, webhook.id, 'paused', now);
  await cancelSome(tx, id);
  return true;
};

/** @returns the number of cancelled deliveries; attempts in progress end by themselves */
const cancelSome = async (tx: Tx, id: WorkspaceId): Promise<number> => {
  let cancelled = 0;
  for (const delivery of await listQueue(tx.db, id, ROWS_AT_ONCE)) if (await cancelQueued(tx, delivery)) cancelled += 1;
  return cancelled;
};

/** Cancels the rows that {@link removeWorkspace} left in the queue. */
export const cancelRest = async (store: Store, id: WorkspaceId): Promise<void> => {
  while ((await store.write((tx) => cancelSome(tx, id))) > 0) await yieldToLoop();
};

/** Notices of one sender that are cancelled, the soonest due first. */
const MAX_QUEUED = 500;

/**
 * Cancels queued mail of the instance to former owners without another workspace. A notice that is not mailed yet is
 * dropped when it is due (app/notices.ts).
 */
export const cancelNotices = async (tx: Tx, owners: readonly Address[], baseDomain: string): Promise<void> => {
  const ended = new Set<string>();
  for (const email of owners) if (!(await isOwnerAddress(tx.db, email))) ended.add(email);
  if (ended.size === 0) return;
  for (const sender of [NOTICES, CLAIMS, ROLE_MAIL]) {
    const agent = await findAgent(tx.db, systemAddress(sender, baseDomain));
    for (const id of agent ? await listQueuedOf(tx.db, agent.mailboxId, MAX_QUEUED) : []) {
      const delivery = await findDelivery(tx.db, id);
      if (delivery && ended.has(addressKey(delivery.address))) await cancelQueued(tx, delivery);
    }
  }
};

/** Deletes the data of removed workspaces, a bounded part in one call. */
export const purgeRemovedWorkspaces = async (store: Store, clock: Clock): Promise<void> => {
  let steps = 0;
  /** @returns whether nothing is left */
  const repeat = async (step: (tx: Tx) => Promise<number>): Promise<boolean> => {
    for (; steps < MAX_STEPS; steps += 1) {
      if ((await store.write(step)) === 0) return true;
      await yieldToLoop();
    }
    return false;
  };
  const purge = async (id: WorkspaceId): Promise<boolean> => {
    if (!(await repeat((tx) => cancelSome(tx, id)))) return false;
    for (const mailboxId of await listMailboxesOf(store.read, id)) {
      if (!(await repeat((tx) => deleteSomeOfMailbox(tx, mailboxId, ROWS_AT_ONCE)))) return false;
    }
    if (!(await repeat((tx) => deleteSomeOfWorkspace(tx, id, ROWS_AT_ONCE)))) return false;
    await store.write(async (tx) => {
      await deleteKeysOfWorkspace(tx, id);
      await setWorkspacePurged(tx, id, clock.now());
    });
    return true;
  };
  for (const id of await listWorkspacesToPurge(store.read, WORKSPACES_AT_ONCE)) if (!(await purge(id))) return;
};

/** Workspaces of one run. */
const MAX_LAPSED = 100;

/** Removes workspaces of signups that were not claimed in time. */
export const lapseUnclaimed = async ({
  store,
  clock,
  activity,
}: {
  store: Store;
  clock: Clock;
  activity: Pick<ActivityLog, 'recordOwn'>;
}): Promise<void> => {
  const now = clock.now();
  for (const id of await listUnclaimed(store.read, now - CLAIM_WITHIN_MS, MAX_LAPSED)) {
    await store.write(async (tx) => {
      const workspace = await findWorkspaceById(tx.db, id);
      // Claimed since the list was read.
      if (!workspace || !isUnclaimed(workspace) || !(await removeWorkspace(tx, id, now))) return;
      const detail = { reason: 'unclaimed' };
      await activity.recordOwn(tx, 'workspace.remove', { workspaceId: id, subject: workspace.slug, detail });
    });
  }
};
