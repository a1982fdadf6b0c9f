/** Decides held mail: approved or rejected by a reviewer, expired after a week. */

import type { ActivityLog } from '../../activity/activity-log.ts';
import type { Plans } from '../../config/plans.ts';
import type { Events } from '../../events/publish-events.ts';
import { formatNamed } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { PendingId } from '../../kernel/ids.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import {
  type Decision,
  decideHeldSend,
  findHeldMail,
  findHeldSend,
  type HeldMail,
  type HeldSend,
  listExpiredHeldSends,
  MAY_HOLD_SECRET,
  recordHeldResult,
} from '../../store/sending/held-sends.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { AcceptNeeds } from './accept-send.ts';
import { computeApprovedDigest } from './approved-digest.ts';
import { findSender } from './find-sender.ts';
import type { Send } from './gate-check.ts';
import { type PreparedFields, type PreparedMessage, recipientsOf } from './prepare-message.ts';
import { hasSender, sendNow, withPreparedMessage } from './send.ts';

/** Runs in the transaction that decides a held mail. @param pending as it is decided */
export type AlongsideDecision<T> = (tx: Tx, pending: HeldSend) => Promise<T>;

export interface DecisionNeeds extends AcceptNeeds {
  store: Store;
  activity: Pick<ActivityLog, 'recordOwn'>;
  events: Events;
  plans: Plans;
  isLocalOnly: boolean;
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
  alongside: AlongsideDecision<T>,
) => Promise<DecisionResult<T>>;

/** @param seen the digest of what the reviewer was shown; left out, whatever is held is approved */
type Approve = <T>(
  id: PendingId,
  by: string,
  note: string | null,
  alongside: AlongsideDecision<T>,
  seen?: Uint8Array | null,
) => Promise<DecisionResult<T> | { kind: 'changed' }>;

export interface HeldDecisions {
  readonly approve: Approve;
  readonly reject: Decide;
  /** Expires what nobody decided for a week. */
  readonly expire: () => Promise<void>;
}

/** Rows of one run of the job. */
const MAX_EXPIRED_PER_RUN = 500;

export const createHeldDecisions = (needs: DecisionNeeds): HeldDecisions => {
  const { store, clock } = needs;

  const decide = <T>(
    id: PendingId,
    alongside: AlongsideDecision<T>,
    work: (tx: Tx, pending: HeldSend, now: Millis) => Promise<boolean>,
  ): Promise<DecisionResult<T>> =>
    store.write(async (tx) => {
      const pending = await findHeldSend(tx.db, null, id);
      const workspace = pending && (await findWorkspaceById(tx.db, pending.workspaceId));
      // The rows of a removed workspace are deleted in the background.
      if (!pending || !workspace || workspace.removedAt !== null) return { kind: 'not-found' };
      const decided = await work(tx, pending, clock.now());
      const after = (await findHeldSend(tx.db, null, id)) ?? pending;
      return decided ? { kind: 'decided', value: await alongside(tx, after) } : { kind: 'already', pending: after };
    });

  return {
    approve: async (id, by, note, alongside, seen = null) => {
      // Before the transaction, in which nothing is hashed: held mail is never changed, and the way out compares again.
      const digest = await digestHeldMail(await findHeldMail(store.read, id));
      if (digest && seen && Buffer.compare(digest, seen) !== 0) return { kind: 'changed' };
      return decide(id, alongside, async (tx, pending, at) => {
        if (!(await decideHeldSend(tx, id, { status: 'approved', by, note, at }))) return false;
        await approve(needs, tx, pending, digest, at);
        return true;
      });
    },

    reject: (id, by, note, alongside) =>
      decide(id, alongside, (tx, pending, at) => rejectHeld(needs, tx, pending, { by, note, at })),

    /** Ends held mail without a decision in time. */
    expire: (): Promise<void> =>
      store.write(async (tx) => {
        const at = clock.now();
        for (const pending of await listExpiredHeldSends(tx.db, at, MAX_EXPIRED_PER_RUN)) {
          const { id } = pending;
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

const toOwner = ({ workspaceId, mailboxId }: HeldSend) => ({ workspaceId, mailboxId });
const toEventData = ({ to, subject }: HeldSend) => ({ to: to.map(formatNamed), subject });

/** Of mail that no one released: its subject may be what it was held for, and events leave the instance. */
const toWithheldData = (pending: HeldSend) => ({
  ...toEventData(pending),
  ...(MAY_HOLD_SECRET.has(pending.reason) && { subject: '' }),
});

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
    data: { pending_id: id, decision_note: decision.note, ...toWithheldData(pending) },
  });
  return true;
};

/** The digest of a held mail as it would go out; null once it is decided. */
export const digestHeldMail = async (held: HeldMail | null): Promise<Uint8Array | null> => {
  if (!held) return null;
  const fields = JSON.parse(held.outgoing) as PreparedFields;
  const recipients = recipientsOf(fields).map(({ address }) => address);
  return computeApprovedDigest({ from: fields.from.address, recipients }, held.mime);
};

/** Approved mail passes every check of the gate again: quota, suppressions and states may have changed since. */
const approve = async (
  needs: DecisionNeeds,
  tx: Tx,
  pending: HeldSend,
  approvedDigest: Uint8Array | null,
  now: Millis,
): Promise<void> => {
  const held = await findHeldMail(tx.db, pending.id);
  if (!held || !approvedDigest) throw new Error('Held mail without a decision has no bytes.');
  const fields = JSON.parse(held.outgoing) as PreparedFields;
  const mail: PreparedMessage = {
    fields,
    htmlText: null,
    isWhole: true,
    secrets: [],
    mime: held.mime,
    size: held.size,
    approvedDigest,
  };
  const send: Send = withPreparedMessage(
    {
      sender: await findSender(tx.db, pending.agentId, needs.plans),
      recipients: recipientsOf(fields),
      attachmentBytes: 0,
      // The message that it answers may have been deleted since: not a reason to refuse.
      parent: null,
      sendClass: pending.sendClass,
      bodyHash: null,
      secrets: [],
      plans: needs.plans,
      isLocalOnly: needs.isLocalOnly,
      now,
    },
    mail,
  );
  const outcome = hasSender(send)
    ? await sendNow(needs, tx, send, mail)
    : { kind: 'rejected' as const, reason: 'mailbox_not_found' };
  if (outcome.kind === 'rejected') {
    await recordHeldResult(tx, pending.id, { failureReason: outcome.reason });
    return;
  }
  await recordHeldResult(tx, pending.id, { messageId: outcome.messageId });
  await needs.events.publish(tx, {
    name: 'approval.approved',
    ...toOwner(pending),
    data: { pending_id: pending.id, message_id: outcome.messageId, ...toEventData(pending) },
  });
};
