import { isWithinReach } from '../../../access/reach.ts';
import { viewOf } from '../../../access/view-of.ts';
import { formatNamed } from '../../../kernel/address.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Handlers, Recorded, RecordingCall } from '../../../kernel/handlers.ts';
import { type PendingId, parseId } from '../../../kernel/ids.ts';
import { byTimeAndId, readPage } from '../../../kernel/page.ts';
import { readMessage } from '../../../mail/header/message-header.ts';
import { showConcealed } from '../../../mail/html/outgoing/visible-characters.ts';
import type { DecisionResult, InDecision } from '../../../outbound/gate/decide-held.ts';
import type { PreparedFields } from '../../../outbound/gate/prepare-message.ts';
import { digestHeldMail } from '../../../outbound/gate/release-held.ts';
import { findAgentById } from '../../../store/accounts/agents.ts';
import { findMessageBody } from '../../../store/mail/message-texts.ts';
import { findMessageByRfcId } from '../../../store/mail/messages.ts';
import { findHeldMail, findHeldSend, type HeldSend, listDecidedSends } from '../../../store/sending/held-sends.ts';
import type { Db } from '../../../store/store.ts';
import { toAct } from '../../../webhooks/webhook-act.ts';
import { decompress } from '../../../workers/compression.ts';
import { readInTime } from '../../../workers/reading/read-in-time.ts';
import { viewMessage } from '../../messages/view.ts';
import type { Needs } from '../../needs.ts';
import { listHeld } from '../list-held.ts';
import { type HeldMailView, heldMailShape, type reviewContract } from './contract.ts';
import { decideEndpoint, findWaitingEndpoint, listWaitingEndpoints, showWaitingEndpoint } from './waiting-endpoints.ts';

/** @param agent its handle; null where the agent was removed */
const viewHeldMail = viewOf(heldMailShape, (pending: HeldSend, agent: string | null) => ({
  pending_id: pending.id,
  agent,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  subject: showConcealed(pending.subject),
  attachments: pending.attachments.map(({ filename, contentType, size }) => ({
    filename: showConcealed(filename),
    contentType,
    size,
  })),
  html_differs: pending.htmlText !== null,
  edited: pending.changes !== null,
}));

/** Fields without information for a reviewer. */
const TECHNICAL_FIELDS = /^(?:mime-version|content-.*|message-id|date|references|in-reply-to)$/i;

/** The header's recipients, which may differ from the envelope's. */
const shownFields = (mime: Uint8Array): { name: string; value: string }[] =>
  readMessage(Buffer.from(decompress(mime))).head.headers.filter(({ name }) => !TECHNICAL_FIELDS.test(name));

const latestDecisionFirst = byTimeAndId<'pending', HeldSend>(({ decidedAt, createdAt }) => decidedAt ?? createdAt);

/** Enough of the answered mail for a decision; the agent's mailbox has all of it. */
const ANSWERED_CHARS = 6_000;

const findAnswered = async (db: Db, { mailboxId }: HeldSend, { inReplyTo }: PreparedFields) => {
  const found = inReplyTo === null ? null : await findMessageByRfcId(db, mailboxId, inReplyTo);
  if (!found) return null;
  const { id, direction, from, subject, authentication, created_at } = viewMessage(found);
  const text = (await findMessageBody(db, found.seq)).slice(0, ANSWERED_CHARS);
  return { message_id: id, direction, from, subject, text, authentication, created_at };
};

export const createReviewing = (
  needs: Needs<'store' | 'clock' | 'events' | 'review' | 'editHeld'>,
): Handlers<typeof reviewContract> => {
  const { store, clock, events, review, editHeld } = needs;
  const view = async (db: Db, pending: HeldSend): Promise<HeldMailView> =>
    viewHeldMail(pending, (await findAgentById(db, pending.agentId))?.handle ?? null);

  const reach = async (caller: PersonCaller, text: string): Promise<HeldSend> => {
    const id = parseId<'pending'>(text);
    const pending = id && (await findHeldSend(store.read, null, id));
    if (pending && isWithinReach(caller, pending.workspaceId)) return pending;
    throw new ApiError('pending_not_found', { fields: { pending_id: text } });
  };

  const decide = async (
    caller: PersonCaller,
    text: string,
    { record }: RecordingCall,
    work: (
      id: PendingId,
      inTransaction: InDecision<Recorded<HeldMailView>>,
    ) => Promise<DecisionResult<Recorded<HeldMailView>> | { kind: 'changed' } | { kind: 'no-recipients' }>,
  ): Promise<Recorded<HeldMailView>> => {
    const { id } = await reach(caller, text);
    const reviewed = await work(id, async (tx, pending) => {
      const { workspaceId, agentId, messageId, failureReason } = pending;
      const shown = await view(tx.db, pending);
      // The addresses and the subject are the mail's; the note is for the agent.
      const detail = { pending_id: id, message_id: messageId, failure_reason: failureReason };
      return record(tx, { workspaceId, subject: shown.agent ?? agentId, detail }, shown);
    });
    if (reviewed.kind === 'no-recipients') throw new ApiError('no_recipients');
    if (reviewed.kind === 'not-found') throw new ApiError('pending_not_found', { fields: { pending_id: text } });
    if (reviewed.kind === 'changed') throw new ApiError('held_mail_changed', { fields: { pending_id: text } });
    if (reviewed.kind === 'decided') return reviewed.value;
    const { status, decidedAt } = reviewed.pending;
    throw new ApiError('held_mail_already_decided', { fields: { status, decided_at: isoTimeOrNull(decidedAt) } });
  };

  /** Null where the id is of a held mail. */
  const decideAboutEndpoint = async (
    caller: PersonCaller,
    {
      pending_id,
      ...decision
    }: { pending_id: string; note: string | null; isAllowed: boolean; seen?: string | undefined },
    { record }: RecordingCall,
  ): Promise<Recorded<HeldMailView> | null> => {
    if (!(await findWaitingEndpoint(store.read, caller, pending_id))) return null;
    return store.write(async (tx) => {
      const endpoint = requireFound(await findWaitingEndpoint(tx.db, caller, pending_id), 'held_mail_changed');
      const at = isoTime(clock.now());
      const decided = await decideEndpoint(events, tx, endpoint, { ...decision, by: caller.name }, at);
      const detail = { webhook_id: endpoint.id, agent: decided.agent };
      return record(tx, { ...toAct(endpoint), detail }, decided);
    });
  };

  return {
    list: async ({ workspaceId = null }, { limit }) => {
      const rows = await listHeld(store.read, { ...(workspaceId && { workspaceId }), isUndecided: true, limit });
      const endpoints = await listWaitingEndpoints(store.read, workspaceId);
      return { pending: [...endpoints, ...(await Promise.all(rows.map((each) => view(store.read, each))))] };
    },

    get: async (caller, { pending_id: text }) => {
      const endpoint = await findWaitingEndpoint(store.read, caller, text);
      if (endpoint) return showWaitingEndpoint(store.read, endpoint);
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
        text: fields && showConcealed(fields.text),
        html_text: pending.htmlText,
        diff: pending.changes,
        answers: fields && (await findAnswered(store.read, pending, fields)),
      };
    },

    decided: async ({ workspaceId = null }, page) => {
      const { rows, next_cursor } = await readPage(page, latestDecisionFirst, (after, limit) =>
        listDecidedSends(store.read, workspaceId, after, limit),
      );
      return { decided: await Promise.all(rows.map((each) => view(store.read, each))), next_cursor };
    },

    approve: async (caller, { pending_id, note, digest }, call) => {
      if (caller.kind === 'owner' && digest === undefined) {
        throw new ApiError('invalid_request', { hint: 'Give `digest`, as the mail was shown with it.' });
      }
      const allowed = await decideAboutEndpoint(caller, { pending_id, note, seen: digest, isAllowed: true }, call);
      if (allowed) return allowed;
      await reach(caller, pending_id);
      const seen = digest === undefined ? null : Buffer.from(digest, 'hex');
      return decide(caller, pending_id, call, (id, inTransaction) =>
        review.approve(id, caller.name, note, inTransaction, seen, caller.kind === 'owner'),
      );
    },
    undo: (caller, { pending_id }, call) =>
      decide(caller, pending_id, call, (id, inTransaction) => review.undo(id, inTransaction)),
    edit: (caller, { pending_id, digest, ...edit }, call) =>
      decide(caller, pending_id, call, (id, inTransaction) =>
        readInTime(editHeld(id, { ...edit, digest: Buffer.from(digest, 'hex') }, inTransaction)),
      ),
    reject: async (caller, { pending_id, note }, call) =>
      (await decideAboutEndpoint(caller, { pending_id, note, isAllowed: false }, call)) ??
      decide(caller, pending_id, call, (id, inTransaction) => review.reject(id, caller.name, note, inTransaction)),
  };
};
