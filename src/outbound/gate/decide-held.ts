/** Decides held mail: approved or rejected by a reviewer, expired after a week. */

import type { ActivityLog } from '../../activity/activity-log.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import type { PendingId } from '../../kernel/ids.ts';
import { createWakeLoop, type WakeLoop } from '../../kernel/wake-loop.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findLiveWorkspace } from '../../store/accounts/workspaces.ts';
import {
  type Decision,
  decideHeldSend,
  findHeldMail,
  findHeldSend,
  type HeldSend,
  listExpiredHeldSends,
  listReleases,
  recordHeldResult,
  setRelease,
} from '../../store/sending/held-sends.ts';
import type { Store, Tx } from '../../store/store.ts';
import { publishRequested, toOwner, toWithheldData } from './held-events.ts';
import { digestHeldMail, mayRelease, type ReleaseNeeds, release } from './release-held.ts';

/** Runs in the transaction that decides a held mail. @param pending as it is decided */
export type InDecision<T> = (tx: Tx, pending: HeldSend) => Promise<T>;

export interface DecisionNeeds extends ReleaseNeeds {
  store: Store;
  activity: Pick<ActivityLog, 'record' | 'recordOwn'>;
  /** Time in which an owner may undo an approval; 0: none. */
  undoMs: Millis;
  onError: (error: unknown) => void;
}

export type DecisionResult<T> =
  | { kind: 'decided'; value: T }
  | { kind: 'not-found' }
  /** It was decided before, or has expired. */
  | { kind: 'already'; pending: HeldSend };

/** A reviewer's decision. @param by as it is recorded */
type Decide = <T>(
  id: PendingId,
  by: string,
  note: string | null,
  inTransaction: InDecision<T>,
) => Promise<DecisionResult<T>>;

/**
 * @param seen the digest that the reviewer was shown; left out: the held mail is approved as it is
 * @param mayUndo whether the release waits for the time in which it can be undone
 */
type Approve = <T>(
  id: PendingId,
  by: string,
  note: string | null,
  inTransaction: InDecision<T>,
  seen?: Uint8Array | null,
  mayUndo?: boolean,
) => Promise<DecisionResult<T> | { kind: 'changed' }>;

export interface HeldDecisions {
  readonly approve: Approve;
  readonly reject: Decide;
  /** Takes an approval back, until the mail is released. */
  readonly undo: <T>(id: PendingId, inTransaction: InDecision<T>) => Promise<DecisionResult<T>>;
  /** Releases approved mail once its time to undo is over. */
  readonly releases: WakeLoop;
  /** Expires held mail after a week without a decision. */
  readonly expire: () => Promise<void>;
}

/** Rows of one run of the job. */
const MAX_EXPIRED_PER_RUN = 500;
const MAX_RELEASED_PER_RUN = 50;
/** The longest sleep while approved mail waits: a clock step delays it by a second at most. */
const POLL_MS = SECOND;
const STORE_PAUSE_MS = 30 * SECOND;

export const createHeldDecisions = (needs: DecisionNeeds): HeldDecisions => {
  const { store, clock, undoMs } = needs;

  const releaseOne = async ({ id, decidedBy: by, decisionNote: note, releaseAt }: HeldSend): Promise<void> => {
    const digest = await digestHeldMail(await findHeldMail(store.read, id));
    await store.write(async (tx) => {
      const pending = await findHeldSend(tx.db, null, id);
      // An owner undid the approval meanwhile, and may have approved again.
      if (pending?.releaseAt !== releaseAt) return;
      const at = clock.now();
      if (await decideHeldSend(tx, id, { status: 'approved', by, note, at })) {
        await release(needs, tx, pending, digest, at);
      }
    });
  };

  const releases = createWakeLoop(
    async () => {
      for (;;) {
        const waiting = await listReleases(store.read, MAX_RELEASED_PER_RUN);
        const due = waiting.filter(({ releaseAt }) => (releaseAt ?? 0) <= clock.now());
        for (const each of due) await releaseOne(each);
        const next = waiting[due.length]?.releaseAt ?? null;
        if (next !== null) return Math.max(0, Math.min(next - clock.now(), POLL_MS));
        if (due.length === 0) return null;
      }
    },
    (error) => {
      needs.onError(error);
      return STORE_PAUSE_MS;
    },
  );

  const decide = <T>(
    id: PendingId,
    inTransaction: InDecision<T>,
    work: (tx: Tx, pending: HeldSend, now: Millis) => Promise<boolean>,
  ): Promise<DecisionResult<T>> =>
    store.write(async (tx) => {
      const pending = await findHeldSend(tx.db, null, id);
      const workspace = pending && (await findLiveWorkspace(tx.db, pending.workspaceId));
      // The rows of a removed workspace are deleted in the background.
      if (!pending || !workspace) return { kind: 'not-found' };
      const decided = await work(tx, pending, clock.now());
      const after = (await findHeldSend(tx.db, null, id)) ?? pending;
      return decided ? { kind: 'decided', value: await inTransaction(tx, after) } : { kind: 'already', pending: after };
    });

  return {
    approve: async (id, by, note, inTransaction, seen = null, mayUndo = false) => {
      // Hashed before the transaction, to keep that short: an edit in between changes the bytes.
      const held = await findHeldMail(store.read, id);
      const digest = await digestHeldMail(held);
      if (digest && seen && Buffer.compare(digest, seen) !== 0) return { kind: 'changed' };
      let isChanged = false;
      const result = await decide(id, inTransaction, async (tx, pending, at) => {
        if (pending.status !== 'pending' || pending.releaseAt !== null) return false;
        isChanged = (await findHeldMail(tx.db, id))?.outgoing !== held?.outgoing;
        if (isChanged) return false;
        if (mayUndo && undoMs > 0 && (await mayRelease(needs, tx, pending, digest, at))) {
          await setRelease(tx, id, { by, note, releaseAt: at + undoMs });
          tx.afterCommit(() => releases.runWithin(undoMs));
          return true;
        }
        await decideHeldSend(tx, id, { status: 'approved', by, note, at });
        await release(needs, tx, pending, digest, at);
        return true;
      });
      return isChanged ? { kind: 'changed' } : result;
    },

    reject: (id, by, note, inTransaction) =>
      decide(id, inTransaction, async (tx, pending, at) =>
        pending.releaseAt === null ? rejectHeld(needs, tx, pending, { by, note, at }) : false,
      ),

    undo: (id, inTransaction) =>
      decide(id, inTransaction, async (tx, pending) => {
        if (pending.releaseAt === null) return false;
        await setRelease(tx, id, null);
        const mailbox = (await findAgentById(tx.db, pending.agentId))?.address ?? '';
        await publishRequested(needs.events, tx, pending, mailbox);
        return true;
      }),

    releases,

    /** Ends held mail without a decision in time. */
    expire: (): Promise<void> =>
      store.write(async (tx) => {
        const at = clock.now();
        for (const pending of await listExpiredHeldSends(tx.db, at, MAX_EXPIRED_PER_RUN)) {
          const { id } = pending;
          if (pending.releaseAt !== null) continue;
          if (!(await decideHeldSend(tx, id, { status: 'expired', by: null, note: null, at }))) continue;
          await recordHeldResult(tx, id, null);
          await needs.events.publish(tx, {
            name: 'approval.expired',
            ...toOwner(pending),
            data: { pending_id: id, ...toWithheldData(pending) },
          });
          const { workspaceId, agentId } = pending;
          const subject = (await findAgentById(tx.db, agentId))?.handle ?? agentId;
          await needs.activity.recordOwn(tx, 'pending.expire', { workspaceId, subject, detail: { pending_id: id } });
        }
      }),
  };
};

/** @returns false where it was decided before */
export const rejectHeld = async (
  { events }: Pick<DecisionNeeds, 'events'>,
  tx: Tx,
  pending: HeldSend,
  decision: Omit<Decision, 'status'>,
): Promise<boolean> => {
  const { id } = pending;
  if (!(await decideHeldSend(tx, id, { ...decision, status: 'rejected' }))) return false;
  await recordHeldResult(tx, id, null);
  await events.publish(tx, {
    name: 'approval.rejected',
    ...toOwner(pending),
    data: { pending_id: id, decision_note: decision.note, ...toWithheldData(pending), webhook_id: null },
  });
  return true;
};
