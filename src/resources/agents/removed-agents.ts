/**
 * Cleans up after a removed agent. Unsent mail ends at once; its other mail is kept for the workspace's owner for a
 * while, then deleted with its keys.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { rejectHeld } from '../../outbound/gate/decide-held.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { deleteKeysOfAgent } from '../../store/accounts/api-keys.ts';
import { deleteMailboxPart } from '../../store/accounts/mailbox-rows.ts';
import {
  deleteWebhooksOf,
  listDueCleanups,
  listQueuedOf,
  listScheduledOf,
  type RemovedAgent,
  setCleanup,
} from '../../store/accounts/removed-agents.ts';
import { findDelivery } from '../../store/sending/deliveries.ts';
import { listHeldSends } from '../../store/sending/held-sends.ts';
import { endScheduledSend } from '../../store/sending/scheduled-sends.ts';
import type { Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';

/** Rows of one transaction, for which other writers wait. */
const ROWS_AT_ONCE = 100;
/** Agents of one run of the job. */
const AGENTS_AT_ONCE = 100;
/** A removed agent is checked daily until its mail is deleted, so that a changed retention applies. */
const CHECK_EVERY_MS = DAY;

const REASON = 'The agent was removed.';

export type CleanupNeeds = Needs<'store' | 'events'>;

/** `waiting`: an attempt in progress keeps a delivery; `more`: another slice follows. */
type Progress = 'done' | 'waiting' | 'more';

/** Ends a slice of a mailbox's unsent mail: held mail, scheduled sends and queued deliveries. */
const endSlice = async (
  { events }: Pick<CleanupNeeds, 'events'>,
  tx: Tx,
  mailboxId: MailboxId,
  now: Millis,
): Promise<Progress> => {
  await deleteWebhooksOf(tx, mailboxId);
  const held = await listHeldSends(tx.db, { mailboxId, limit: ROWS_AT_ONCE });
  for (const pending of held) await rejectHeld({ events }, tx, pending, { by: null, note: REASON, at: now });
  const scheduled = await listScheduledOf(tx.db, mailboxId, ROWS_AT_ONCE);
  for (const id of scheduled) await endScheduledSend(tx, id, { status: 'cancelled' });
  const queued = await listQueuedOf(tx.db, mailboxId, ROWS_AT_ONCE);
  let cancelled = 0;
  for (const id of queued) {
    const delivery = await findDelivery(tx.db, id);
    if (delivery && (await cancelQueued(tx, delivery))) cancelled += 1;
  }
  const isFull = [held, scheduled].some(({ length }) => length === ROWS_AT_ONCE);
  if (isFull || (queued.length === ROWS_AT_ONCE && cancelled > 0)) return 'more';
  return cancelled < queued.length ? 'waiting' : 'done';
};

/**
 * Ends the unsent mail of a removed agent. {@link cleanUpRemovedAgents} ends deliveries with an attempt in progress.
 */
export const endSending = async (needs: CleanupNeeds, mailboxId: MailboxId, now: Millis): Promise<Progress> => {
  for (;;) {
    const progress = await needs.store.write((tx) => endSlice(needs, tx, mailboxId, now));
    if (progress !== 'more') return progress;
    await yieldToLoop();
  }
};

type CleanupJobNeeds = CleanupNeeds & Needs<'activity'>;

const cleanUp = async (
  needs: CleanupJobNeeds,
  { id, workspaceId, handle, mailboxId, removedAt }: RemovedAgent,
  now: Millis,
  keepMs: Millis,
): Promise<void> => {
  const { store, activity } = needs;
  const next = (at: Millis | null) => store.write((tx) => setCleanup(tx, id, at));
  if (mailboxId === null) return next(null);
  if ((await endSending(needs, mailboxId, now)) === 'waiting') return;
  const until = removedAt + keepMs;
  if (now < until) return next(Math.min(until, now + CHECK_EVERY_MS));
  while (!(await store.write((tx) => deleteMailboxPart(tx, mailboxId, ROWS_AT_ONCE)))) await yieldToLoop();
  await store.write(async (tx) => {
    await deleteKeysOfAgent(tx, id);
    await setCleanup(tx, id, null);
    await activity.recordOwn(tx, 'agent.purge', { workspaceId, subject: handle, detail: { agent_id: id } });
  });
};

/** @param keepMs how long after the removal its mail is kept */
export const cleanUpRemovedAgents = async (needs: CleanupJobNeeds, now: Millis, keepMs: Millis): Promise<void> => {
  for (const removed of await listDueCleanups(needs.store.read, now, AGENTS_AT_ONCE)) {
    await cleanUp(needs, removed, now, keepMs);
  }
};
