/** `postroom pending`: held mail, and a person's decision about it. No API key can decide. */

import { userInfo } from 'node:os';
import type { Instance } from '../../app/instance.ts';
import { createEvents } from '../../events/publish-events.ts';
import { formatNamed } from '../../kernel/address.ts';
import { parseId } from '../../kernel/ids.ts';
import { readMessage } from '../../mail/header/message-header.ts';
import { createHeldDecisions, type DecisionResult } from '../../outbound/gate/decide-held.ts';
import type { PreparedFields } from '../../outbound/gate/prepare-message.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findHeldMail, findHeldSend, type HeldSend, listHeldSends } from '../../store/sending/held-sends.ts';
import { decompress } from '../../workers/compression.ts';
import { type Answer, type Context, command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { refused } from '../failure.ts';
import { requireWorkspace } from '../find.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, printable, table, timeOrNull } from '../table.ts';
import { withInstance } from '../with-instance.ts';

const MAX_LISTED = 1_000;

const idOperand = { id: required('ID', 'as `postroom pending list` shows it') };
const noteOption = { note: optional('TEXT', 'the agent reads it as the reason') };

/** Every recipient of the envelope, and of answers, stands under its field, so that none is approved unseen. */
const view = async ({ store }: Instance, pending: HeldSend) => ({
  pending_id: pending.id,
  status: pending.status,
  agent: (await findAgentById(store.read, pending.agentId))?.handle ?? null,
  reason: pending.reason,
  send_class: pending.sendClass,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  subject: pending.subject,
  snippet: pending.snippet,
  attachments: pending.attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
  html_differs: pending.htmlText !== null,
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_by: pending.decidedBy,
  decided_at: timeOrNull(pending.decidedAt),
  created_at: timeOrNull(pending.createdAt),
  expires_at: timeOrNull(pending.expiresAt),
});

type View = Awaited<ReturnType<typeof view>>;

const attachmentLines = ({ attachments }: View): string[] =>
  attachments.map(({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`);

const linesOf = (shown: View): string =>
  details(
    Object.entries({ ...shown, attachments: attachmentLines(shown) }).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );

/** Fields that say nothing to a reader. */
const PLUMBING = /^(?:mime-version|content-.*|message-id|date|references|in-reply-to|subject)$/i;

/** What its header says to those who get it, which need not be what the envelope does. */
const tellingFields = (mime: Uint8Array): { name: string; value: string }[] =>
  readMessage(Buffer.from(decompress(mime))).head.headers.filter(({ name }) => !PLUMBING.test(name));

const fieldLines = (headers: readonly { name: string; value: string }[]): string =>
  ['Its header, as recipients get it:', ...headers.map(({ name, value }) => printable(`${name}: ${value}`))].join('\n');

const block = (text: string): string => text.split(/\r?\n/).map(printable).join('\n');

const noSuchMail = (id: string) => refused(`No held mail has the id ${id}. \`postroom pending list\` shows them.`);

const list = command({
  name: 'pending list',
  summary: `lists mail that waits for a decision, newest first, up to ${MAX_LISTED}`,
  operands: {},
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  run: ({ workspace }, context) =>
    withInstance(context, async (instance) => {
      const of =
        workspace === undefined ? {} : { workspaceId: (await requireWorkspace(instance.store.read, workspace)).id };
      const rows = await listHeldSends(instance.store.read, { ...of, limit: MAX_LISTED });
      const pending = await Promise.all(rows.map((each) => view(instance, each)));
      const cells = pending.map((each) => [
        ...[each.pending_id, each.agent],
        [...each.to, ...each.cc, ...each.bcc].join(', '),
        ...[each.subject, attachmentLines(each).join(', '), each.reason],
      ]);
      return {
        document: { pending },
        text: () => table(['ID', 'AGENT', 'RECIPIENTS', 'SUBJECT', 'ATTACHMENTS', 'WHY'], cells, 'Nothing waits.'),
      };
    }),
});

const show = command({
  name: 'pending show',
  summary: 'shows a held mail with its text, and with that of its HTML part where it differs',
  operands: idOperand,
  options: {},
  run: ({ id }, context) =>
    withInstance(context, async (instance) => {
      const pendingId = parseId<'pending'>(id);
      const pending = pendingId && (await findHeldSend(instance.store.read, null, pendingId));
      if (!pending) throw noSuchMail(id);
      const held = await findHeldMail(instance.store.read, pending.id);
      const text = held ? (JSON.parse(held.outgoing) as PreparedFields).text : null;
      const headers = held ? tellingFields(held.mime) : [];
      const { htmlText } = pending;
      const shown = await view(instance, pending);
      const words = text === null ? 'Its text is no longer kept here.' : block(text);
      const differing =
        htmlText === null ? [] : ['Its HTML part, which most mail programs show, reads differently:', block(htmlText)];
      return {
        document: { ...shown, headers, text, html_text: htmlText },
        text: () => [linesOf(shown), fieldLines(headers), words, ...differing].join('\n\n'),
      };
    }),
});

/** Decides as the person at the terminal, on the daemon's own data; what it releases leaves within seconds. */
const decide = (
  context: Context,
  id: string,
  work: (review: ReturnType<typeof createHeldDecisions>, id: HeldSend['id'], by: string) => Promise<DecisionResult>,
): Promise<Answer> =>
  withInstance(context, async (instance) => {
    const { store, plans, newId, runtime } = instance;
    const { clock, random } = runtime;
    const events = createEvents(clock, random, () => {});
    const review = createHeldDecisions({ store, events, plans, clock, newId, wakeQueue: () => {} });
    const pendingId = parseId<'pending'>(id);
    const reviewed = pendingId ? await work(review, pendingId, `cli:${userInfo().username}`) : null;
    if (!reviewed || reviewed.kind === 'not-found') throw noSuchMail(id);
    const shown = await view(instance, reviewed.pending);
    if (reviewed.kind === 'already') {
      throw refused(`This mail is ${shown.status} since ${shown.decided_at}: it cannot be decided twice.`);
    }
    if (shown.failure_reason !== null) {
      throw refused(`It was approved, and not sent: ${shown.failure_reason}. The agent reads this reason as well.`);
    }
    return { document: shown, text: () => linesOf(shown) };
  });

const approve = command({
  name: 'pending approve',
  summary: 'releases a held mail; it passes the gate again, and a mail that the gate refuses is an error',
  operands: idOperand,
  options: noteOption,
  run: ({ id, note }, context) =>
    decide(context, id, (review, pending, by) => review.approve(pending, by, note ?? null)),
});

const reject = command({
  name: 'pending reject',
  summary: 'discards a held mail',
  operands: idOperand,
  options: { ...noteOption, yes: flag('do not ask') },
  run: async ({ id, note, yes }, context) => {
    await confirm(`Discard the held mail ${id}?`, yes);
    return decide(context, id, (review, pending, by) => review.reject(pending, by, note ?? null));
  },
});

export const pendingCommands = [list, show, approve, reject];
