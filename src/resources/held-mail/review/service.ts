/** Reviewing held mail. */

import { isWithinReach, reachOfList } from '../../../access/reach.ts';
import { formatNamed } from '../../../kernel/address.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { isoTimeOrNull } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type PendingId, parseId } from '../../../kernel/ids.ts';
import type { Handlers, Recorded, RecordingCall } from '../../../kernel/operation.ts';
import { byTimeAndId, readPage } from '../../../kernel/page.ts';
import { readMessage } from '../../../mail/header/message-header.ts';
import {
  type AlongsideDecision,
  type DecisionResult,
  digestHeldMail,
  type HeldDecisions,
} from '../../../outbound/gate/decide-held.ts';
import type { PreparedFields } from '../../../outbound/gate/prepare-message.ts';
import { findAgentById } from '../../../store/accounts/agents.ts';
import { findMessageBody } from '../../../store/mail/message-texts.ts';
import { findMessageByRfcId } from '../../../store/mail/messages.ts';
import {
  findHeldMail,
  findHeldSend,
  type HeldSend,
  listDecidedSends,
  listHeldSends,
} from '../../../store/sending/held-sends.ts';
import type { Db, Store } from '../../../store/store.ts';
import { decompress } from '../../../workers/compression.ts';
import { viewMessage } from '../../messages/view.ts';
import type { HeldMailView, reviewContract } from './contract.ts';
import { viewHeldMail } from './view.ts';

export interface ReviewingNeeds {
  store: Store;
  review: Pick<HeldDecisions, 'approve' | 'reject'>;
}

/** Fields that say nothing to a reviewer. */
const TECHNICAL_FIELDS = /^(?:mime-version|content-.*|message-id|date|references|in-reply-to)$/i;

/** What the header says to the recipients, which need not be what the envelope does. */
const shownFields = (mime: Uint8Array): { name: string; value: string }[] =>
  readMessage(Buffer.from(decompress(mime))).head.headers.filter(({ name }) => !TECHNICAL_FIELDS.test(name));

const latestDecisionFirst = byTimeAndId<'pending', HeldSend>(({ decidedAt, createdAt }) => decidedAt ?? createdAt);

/** Enough of it to see what it asks for; the whole stands in the agent's mailbox. */
const ANSWERED_CHARS = 6_000;

const findAnswered = async (db: Db, { mailboxId }: HeldSend, { inReplyTo }: PreparedFields) => {
  const found = inReplyTo === null ? null : await findMessageByRfcId(db, mailboxId, inReplyTo);
  if (!found) return null;
  const { id, direction, from, subject, authentication, created_at } = viewMessage(found);
  const text = (await findMessageBody(db, found.seq)).slice(0, ANSWERED_CHARS);
  return { message_id: id, direction, from, subject, text, authentication, created_at };
};

export const createReviewing = ({ store, review }: ReviewingNeeds): Handlers<typeof reviewContract> => {
  const view = async (db: Db, pending: HeldSend): Promise<HeldMailView> =>
    viewHeldMail(pending, (await findAgentById(db, pending.agentId))?.handle ?? null);

  const reach = async (caller: PersonCaller, text: string): Promise<HeldSend> => {
    const id = parseId<'pending'>(text);
    const pending = id && (await findHeldSend(store.read, null, id));
    if (pending && isWithinReach(caller, pending.workspaceId)) return pending;
    throw new ApiError('held_mail_not_found', { fields: { pending_id: text } });
  };

  const decide = async (
    caller: PersonCaller,
    text: string,
    { record }: RecordingCall,
    work: (
      id: PendingId,
      alongside: AlongsideDecision<Recorded<HeldMailView>>,
    ) => Promise<DecisionResult<Recorded<HeldMailView>> | { kind: 'changed' }>,
  ): Promise<Recorded<HeldMailView>> => {
    const { id } = await reach(caller, text);
    const reviewed = await work(id, async (tx, pending) => {
      const { workspaceId, agentId, messageId, failureReason } = pending;
      const shown = await view(tx.db, pending);
      // Its addresses and subject are the mail's; the note is for the agent.
      const detail = { pending_id: id, message_id: messageId, failure_reason: failureReason };
      return record(tx, { workspaceId, subject: shown.agent ?? agentId, detail }, shown);
    });
    if (reviewed.kind === 'not-found') throw new ApiError('held_mail_not_found', { fields: { pending_id: text } });
    if (reviewed.kind === 'changed') throw new ApiError('held_mail_changed', { fields: { pending_id: text } });
    if (reviewed.kind === 'decided') return reviewed.value;
    const { status, decidedAt } = reviewed.pending;
    throw new ApiError('held_mail_already_decided', { fields: { status, decided_at: isoTimeOrNull(decidedAt) } });
  };

  return {
    list: async (caller, { workspace, limit }) => {
      const workspaceId = await reachOfList(store.read, caller, workspace);
      const rows = await listHeldSends(store.read, { ...(workspaceId && { workspaceId }), limit });
      return { pending: await Promise.all(rows.map((each) => view(store.read, each))) };
    },

    get: async (caller, { pending_id: text }) => {
      const pending = await reach(caller, text);
      const held = await findHeldMail(store.read, pending.id);
      const fields = held ? (JSON.parse(held.outgoing) as PreparedFields) : null;
      const digest = await digestHeldMail(held);
      return {
        ...(await view(store.read, pending)),
        headers: held ? shownFields(held.mime) : [],
        from: fields && formatNamed(fields.from),
        digest: digest && Buffer.from(digest).toString('hex'),
        size: held?.size ?? null,
        text: fields?.text ?? null,
        html_text: pending.htmlText,
        answers: fields && (await findAnswered(store.read, pending, fields)),
      };
    },

    decided: async (caller, { workspace, ...page }) => {
      const workspaceId = await reachOfList(store.read, caller, workspace);
      const { rows, next_cursor } = await readPage(page, latestDecisionFirst, (after, limit) =>
        listDecidedSends(store.read, workspaceId, after, limit),
      );
      return { decided: await Promise.all(rows.map((each) => view(store.read, each))), next_cursor };
    },

    approve: async (caller, { pending_id, note, digest }, call) => {
      await reach(caller, pending_id);
      if (caller.kind === 'owner' && digest === undefined) {
        throw new ApiError('invalid_request', { hint: 'Give `digest`, as the mail was shown with it.' });
      }
      const seen = digest === undefined ? null : Buffer.from(digest, 'hex');
      return decide(caller, pending_id, call, (id, alongside) =>
        review.approve(id, caller.name, note, alongside, seen),
      );
    },
    reject: (caller, { pending_id, note }, call) =>
      decide(caller, pending_id, call, (id, alongside) => review.reject(id, caller.name, note, alongside)),
  };
};
