import { reachAgent } from '../../../access/reach.ts';
import { formatNamed } from '../../../kernel/address.ts';
import { HOUR, isoTime, isoTimeOrNull, SECOND } from '../../../kernel/clock.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { MailboxId, WorkspaceId } from '../../../kernel/ids.ts';
import { formatDay, formatMonth } from '../../../kernel/utc-period.ts';
import { showConcealed } from '../../../mail/html/outgoing/visible-characters.ts';
import { UNITS_OF } from '../../../outbound/gate/quota-checks.ts';
import { findQuotaUse } from '../../../outbound/gate/quota-use.ts';
import { findWorkspaceById } from '../../../store/accounts/workspaces.ts';
import { findActivity, findActivityAt } from '../../../store/activity/activity-log.ts';
import { listEventsOf } from '../../../store/events/event-log.ts';
import { listWakes } from '../../../store/events/webhook-attempts.ts';
import { countBouncedWithin, countMailWithin, listReplyDelays, type Span } from '../../../store/mail/mailbox-counts.ts';
import { listMessages } from '../../../store/mail/messages.ts';
import { listHeldBetween } from '../../../store/sending/held-sends.ts';
import { findUsage } from '../../../store/sending/usage.ts';
import type { Db } from '../../../store/store.ts';
import { viewMessage } from '../../messages/view.ts';
import type { Needs } from '../../needs.ts';
import { type agentDayContract, MOST_LISTED, MOST_REPLIES } from './contract.ts';

const READS: Readonly<Record<string, 'opened' | 'code'>> = { 'secret.open': 'opened', 'secret.totp': 'code' };
/** Acts of the workspace that are searched for the agent's: a few milliseconds. */
const MOST_LOOKED_AT = 20_000;
/** Attempts at endpoints that are counted. */
const MOST_WAKES = 5_000;

const hoursOf = ({ since, until }: Span): Span[] =>
  Array.from({ length: Math.ceil((until - since) / HOUR) }, (_, at) => ({
    since: since + at * HOUR,
    until: Math.min(until, since + (at + 1) * HOUR),
  }));

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** How soon the agent answers. */
const findReplied = async (db: Db, mailboxId: MailboxId, span: Span) => {
  const delays = await listReplyDelays(db, mailboxId, span, MOST_REPLIES);
  if (delays.length === 0) return null;
  return { mails: delays.length, median_seconds: Math.round(medianOf(delays) / SECOND) };
};

/** Events of the agent's mailbox that endpoints were told of. */
const findWakes = async (db: Db, workspaceId: WorkspaceId, mailboxId: MailboxId, span: Span) => {
  const wakes = await listWakes(db, workspaceId, mailboxId, span, MOST_WAKES);
  const listed = wakes.slice(0, MOST_LISTED);
  const events = await listEventsOf(
    db,
    listed.map(({ seq }) => seq),
  );
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const woken = wakes.filter(({ isTaken }) => isTaken).length;
  return {
    woken,
    failed: wakes.length - woken,
    events: listed.flatMap(({ seq, at, isTaken }) => {
      const event = bySeq.get(seq);
      if (!event) return [];
      const { from } = event.data;
      const isMail = event.name === 'message.received' && typeof from === 'string';
      return [{ event: event.name, from: isMail ? showConcealed(from) : null, taken: isTaken, at: isoTime(at) }];
    }),
  };
};

type DayNeeds = Needs<'store' | 'plans' | 'clock'>;

/** The narrower one. Null on another day: the quota is of this one. */
const findQuota = async (
  { plans, clock, store: { read } }: DayNeeds,
  workspaceId: WorkspaceId,
  mailboxId: MailboxId,
  { since, until }: Span,
) => {
  const now = clock.now();
  const workspace = since <= now && now < until ? await findWorkspaceById(read, workspaceId) : null;
  if (!workspace) return null;
  const { day, month } = await findQuotaUse(read, plans, workspace, now);
  const per = day.limit === null ? ('month' as const) : ('day' as const);
  const { sent, limit } = per === 'day' ? day : month;
  const { units } = await findUsage(read, mailboxId, per === 'day' ? formatDay(now) : formatMonth(now));
  return limit === null ? null : { sent: units / UNITS_OF.cold, of_all: sent, limit, per };
};

export const createAgentDay = (needs: DayNeeds): Handlers<typeof agentDayContract> => ({
  get: async (caller, { agent: name, since, until }) => {
    const { store } = needs;
    const { mailboxId, workspaceId, handle } = await reachAgent(store.read, caller, name);
    const span = { since, until };
    const hours: { in: number; out: number }[] = [];
    for (const hour of hoursOf(span)) {
      const [came, went] = [
        await countMailWithin(store.read, mailboxId, 'in', hour),
        await countMailWithin(store.read, mailboxId, 'out', hour),
      ];
      hours.push({ in: came, out: went });
    }
    const listed = { unreadOnly: false, includeArchived: true, threadId: null, before: null, limit: MOST_LISTED };
    const sends = await listMessages(store.read, mailboxId, { ...listed, ...span, direction: 'out' });
    const holds = await listHeldBetween(store.read, mailboxId, span, MOST_LISTED);
    const [floor, before] = [await findActivityAt(store.read, since), await findActivityAt(store.read, until)];
    const filter = { actor: handle, action: 'secret' };
    const bounds = { before, floor: Math.max(floor, before - MOST_LOOKED_AT), limit: 2 * MOST_LISTED };
    const acts = await findActivity(store.read, workspaceId, filter, bounds);
    return {
      hours,
      in: hours.reduce((sum, hour) => sum + hour.in, 0),
      out: hours.reduce((sum, hour) => sum + hour.out, 0),
      bounced: await countBouncedWithin(store.read, mailboxId, span),
      replied: await findReplied(store.read, mailboxId, span),
      quota: await findQuota(needs, workspaceId, mailboxId, span),
      wakes: await findWakes(store.read, workspaceId, mailboxId, span),
      sends: sends.map((message) => {
        const { id, subject, to, cc, status, created_at } = viewMessage(message);
        const { via, sentBy } = message;
        return { message_id: id, subject, to: [...to, ...cc], status, via, sent_by: sentBy, at: created_at };
      }),
      holds: holds.map((held) => ({
        pending_id: held.id,
        subject: showConcealed(held.subject),
        to: [...held.to, ...held.cc, ...held.bcc].map(formatNamed),
        reason: held.reason,
        status: held.status,
        sent_by: held.sentBy,
        decided_by: held.decidedBy,
        decided_at: isoTimeOrNull(held.decidedAt),
        at: isoTime(held.createdAt),
      })),
      secrets: acts
        .flatMap(({ action, subject, via, at: when }) => {
          const what = READS[action];
          return what ? [{ secret: subject, what, via, at: isoTime(when) }] : [];
        })
        .slice(0, MOST_LISTED),
    };
  },
});
