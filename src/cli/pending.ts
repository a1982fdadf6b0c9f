/** `postroom pending`: held mail, and a person's decision about it. No API key can decide. */

import { userInfo } from 'node:os';
import type { Box } from '../box.ts';
import { createEvents } from '../events/events.ts';
import { formatNamed } from '../kernel/address.ts';
import { parseId } from '../kernel/ids.ts';
import type { Outgoing } from '../outbound/outgoing.ts';
import { createReview, type Reviewed } from '../outbound/review.ts';
import { findAgentById } from '../store/agents.ts';
import { findHeldMail, findPendingSend, listPendingSends, type PendingSend } from '../store/pending-sends.ts';
import { type Answer, type Context, command } from './command.ts';
import { refused } from './failure.ts';
import { withBox } from './open-box.ts';
import { optional, required } from './parameters.ts';
import { details, printable, table, timeOrNull } from './table.ts';

const MAX_LISTED = 1_000;

const idOperand = { id: required('ID', 'as `postroom pending list` shows it') };
const noteOption = { note: optional('TEXT', 'the agent reads it as the reason') };

const view = async ({ store }: Box, pending: PendingSend) => ({
  pending_id: pending.id,
  status: pending.status,
  agent: (await findAgentById(store.read, pending.agentId))?.handle ?? null,
  reason: pending.reason,
  send_class: pending.sendClass,
  to: pending.to.map(formatNamed),
  subject: pending.subject,
  snippet: pending.snippet,
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_by: pending.decidedBy,
  decided_at: timeOrNull(pending.decidedAt),
  created_at: timeOrNull(pending.createdAt),
  expires_at: timeOrNull(pending.expiresAt),
});

const linesOf = (shown: Awaited<ReturnType<typeof view>>): string =>
  details(Object.entries(shown).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

const noSuchMail = (id: string) => refused(`No held mail has the id ${id}. \`postroom pending list\` shows them.`);

const list = command({
  name: 'pending list',
  summary: `lists mail that waits for a decision, newest first, up to ${MAX_LISTED}`,
  operands: {},
  options: {},
  run: (_given, context) =>
    withBox(context, async (box) => {
      const rows = await listPendingSends(box.store.read, null, MAX_LISTED);
      const pending = await Promise.all(rows.map((each) => view(box, each)));
      const cells = pending.map((each) => [each.pending_id, each.agent, each.to.join(', '), each.subject, each.reason]);
      return {
        document: { pending },
        text: () => table(['ID', 'AGENT', 'TO', 'SUBJECT', 'WHY'], cells, 'Nothing waits.'),
      };
    }),
});

const show = command({
  name: 'pending show',
  summary: 'shows a held mail with its text',
  operands: idOperand,
  options: {},
  run: ({ id }, context) =>
    withBox(context, async (box) => {
      const pendingId = parseId<'pending'>(id);
      const pending = pendingId && (await findPendingSend(box.store.read, null, pendingId));
      if (!pending) throw noSuchMail(id);
      const held = await findHeldMail(box.store.read, pending.id);
      const text = held ? (JSON.parse(held.outgoing) as Outgoing).text : null;
      const shown = await view(box, pending);
      const words = text === null ? 'Its text is no longer kept here.' : text.split(/\r?\n/).map(printable).join('\n');
      return { document: { ...shown, text }, text: () => [linesOf(shown), words].join('\n\n') };
    }),
});

/** Decides as the person at the terminal, on the daemon's own data; what it releases leaves within seconds. */
const decide = (
  context: Context,
  id: string,
  work: (review: ReturnType<typeof createReview>, id: PendingSend['id'], by: string) => Promise<Reviewed>,
): Promise<Answer> =>
  withBox(context, async (box) => {
    const { store, plans, newId, surroundings } = box;
    const { clock, random } = surroundings;
    const events = createEvents(clock, random, () => {});
    const review = createReview({ store, events, plans, clock, newId, wakeQueue: () => {} });
    const pendingId = parseId<'pending'>(id);
    const reviewed = pendingId ? await work(review, pendingId, `cli:${userInfo().username}`) : null;
    if (!reviewed || reviewed.kind === 'not-found') throw noSuchMail(id);
    const shown = await view(box, reviewed.pending);
    if (reviewed.kind === 'already') {
      throw refused(`This mail is ${shown.status} since ${shown.decided_at}: it cannot be decided twice.`);
    }
    return { document: shown, text: () => linesOf(shown) };
  });

const approve = command({
  name: 'pending approve',
  summary: 'releases a held mail; it passes the gate again',
  operands: idOperand,
  options: noteOption,
  run: ({ id, note }, context) =>
    decide(context, id, (review, pending, by) => review.approve(pending, by, note ?? null)),
});

const reject = command({
  name: 'pending reject',
  summary: 'discards a held mail',
  operands: idOperand,
  options: noteOption,
  run: ({ id, note }, context) =>
    decide(context, id, (review, pending, by) => review.reject(pending, by, note ?? null)),
});

export const pendingCommands = [list, show, approve, reject];
