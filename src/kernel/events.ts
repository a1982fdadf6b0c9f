/**
 * The catalogue of events: when each fires, the schema of its data, and a sample (interface section 6). The names that
 * webhooks may subscribe to, the OpenAPI document, the samples, the table in src/docs/webhooks.md
 * (scripts/check-doc-tables.ts) and the types of what is published follow from it.
 */

import { z } from 'zod';
import type { MailboxId, WorkspaceId } from './ids.ts';

const id = z.string();
/** The mail that a delivery is about; `to` has the recipient that the event concerns. */
const mail = z.object({ message_id: id, thread_id: id, to: z.array(z.string()), subject: z.string() });
const mailSample = {
  message_id: '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40',
  thread_id: '019a9f3c-5c4e-7d11-9b3c-7a1d2e3f4051',
  to: ['carol@example.com'],
  subject: 'Our offer',
};
const held = z.object({ pending_id: id, to: z.array(z.string()), subject: z.string() });
const heldSample = {
  pending_id: '019a9f3c-5c4e-7d12-8c4d-8b2e3f405162',
  to: ['carol@example.com'],
  subject: 'Our offer',
};
/** The owner who sends in the agent's name; left out: the agent itself. */
const sentBy = z.string().optional();
/** Shares from 0 to 1, over the last 7 days. */
const rates = z.object({ workspace_id: id, bounce_rate: z.number(), complaint_rate: z.number() });
const ratesSample = {
  workspace_id: '019a9f3c-5c4e-7d13-9d5e-9c3f40516273',
  bounce_rate: 0.06,
  complaint_rate: 0.0004,
};

interface EventKind<Data extends z.ZodObject> {
  /** When it fires, after "Fires when". */
  when: string;
  data: Data;
  sample: z.infer<Data>;
}

const kind = <Data extends z.ZodObject>(when: string, data: Data, sample: z.infer<Data>): EventKind<Data> => ({
  when,
  data,
  sample,
});

export const EVENTS = {
  'message.received': kind(
    'mail was stored in a mailbox; its id can be read at once',
    z.object({
      message_id: id,
      thread_id: id,
      mailbox: z.string(),
      from: z.string(),
      subject: z.string(),
      snippet: z.string(),
      spam_verdict: z.enum(['PASS', 'FAIL', 'UNKNOWN']),
    }),
    {
      message_id: mailSample.message_id,
      thread_id: mailSample.thread_id,
      mailbox: 'sales@acme.example.com',
      from: 'Postroom <sender@example.com>',
      subject: 'A test of your webhook',
      snippet: 'This is a sample event. No mail has come.',
      spam_verdict: 'PASS',
    },
  ),
  'message.filtered': kind(
    'the identity filter dropped a mail before it was stored; there is no message id',
    z.object({
      mailbox: z.string(),
      from: z.string(),
      subject: z.string(),
      reason: z.enum(['not_whitelisted', 'blocked_sender']),
      filter_mode: z.enum(['blacklist', 'whitelist']),
    }),
    {
      mailbox: 'sales@acme.example.com',
      from: 'stranger@example.com',
      subject: 'Hello',
      reason: 'not_whitelisted',
      filter_mode: 'whitelist',
    },
  ),
  'message.sent': kind(
    'a message was accepted for delivery',
    mail.extend({ send_class: z.enum(['reply', 'cold']), sent_by: sentBy }),
    {
      ...mailSample,
      send_class: 'cold',
    },
  ),
  'message.delivered': kind('the recipient’s server took a message; once for each recipient', mail, mailSample),
  'message.bounced': kind(
    'a message came back from a recipient; where the address is to blame, it is suppressed',
    mail.extend({ bounce_type: z.enum(['permanent', 'blocked', 'expired']) }),
    { ...mailSample, bounce_type: 'permanent' },
  ),
  'message.complained': kind('a recipient reported a message as spam; the address is suppressed', mail, mailSample),
  'approval.requested': kind(
    'a mail was held for a person, an owner took back its approval, or an endpoint of a held agent waits for one',
    held.extend({
      mailbox: z.string(),
      reason: z.string(),
      expires_at: z.string().nullable(),
      webhook_id: id.nullable(),
      sent_by: sentBy,
    }),
    {
      ...heldSample,
      mailbox: 'sales@acme.example.com',
      reason: 'agent_on_hold',
      expires_at: '2026-11-30T10:00:00.000Z',
      webhook_id: null,
    },
  ),
  'approval.approved': kind(
    'a person approved a held message, and it went, or allowed an endpoint, which has no `message_id`',
    held.extend({ message_id: id.nullable(), edited: z.boolean(), webhook_id: id.nullable() }),
    { ...heldSample, message_id: mailSample.message_id, edited: false, webhook_id: null },
  ),
  'approval.failed': kind(
    'a person approved a held message, and the checks of sending refused it: it did not go',
    held.extend({ failure_reason: z.string() }),
    { ...heldSample, failure_reason: 'recipient_suppressed:carol@example.com' },
  ),
  'approval.rejected': kind(
    'a person rejected a held message, or ended an endpoint that waited',
    held.extend({ decision_note: z.string().nullable(), webhook_id: id.nullable() }),
    { ...heldSample, decision_note: 'Not to this customer.', webhook_id: null },
  ),
  'approval.expired': kind('a held message was not decided on within a week', held, heldSample),
  'scheduled.cancelled': kind(
    'a scheduled send was cancelled by an owner, or as the key or connection that booked it has ended',
    z.object({
      scheduled_id: id,
      to: z.array(z.string()),
      subject: z.string(),
      cancelled_by: z.enum(['key_ended', 'connection_ended', 'owner']),
    }),
    {
      scheduled_id: '019a9f3c-5c4e-7d15-8f70-be5162738495',
      to: ['carol@example.com'],
      subject: 'Our offer',
      cancelled_by: 'key_ended',
    },
  ),
  'agent.claimed': kind(
    'a person claimed the workspace that the agent signed up for; once for each of its agents',
    z.object({ workspace_id: id, handle: z.string(), address: z.string() }),
    { workspace_id: ratesSample.workspace_id, handle: 'sales', address: 'sales@acme.example.com' },
  ),
  'domain.verified': kind(
    'a domain finished verification and can send',
    z.object({ domain_id: id, domain: z.string() }),
    { domain_id: '019a9f3c-5c4e-7d14-8e6f-ad4051627384', domain: 'mail.example.com' },
  ),
  'workspace.throttled': kind(
    'bounce or complaint rates crossed the throttle line: cold mail is slowed',
    rates,
    ratesSample,
  ),
  'workspace.paused': kind(
    'rates crossed the pause line, or a person paused it: every send is refused until a person resumes it',
    rates.extend({ reason: z.string() }),
    { ...ratesSample, bounce_rate: 0.12, reason: 'bounce_rate' },
  ),
  'workspace.resumed': kind('a throttle cleared after a clean day, or a person resumed the workspace', rates, {
    ...ratesSample,
    bounce_rate: 0.01,
  }),
} as const;

/** Events that an agent reads in its changes. No endpoint may subscribe to them: the contract's list of names is closed. */
export const UNSENT_EVENTS = {
  'message.opened': kind('a message that was sent with `track_opens` was opened for the first time', mail, mailSample),
} as const;

export type SentEventName = keyof typeof EVENTS;
export type EventName = SentEventName | keyof typeof UNSENT_EVENTS;

/** What each event carries. */
export type EventData = {
  [N in EventName]: z.infer<(typeof EVENTS & typeof UNSENT_EVENTS)[N]['data']>;
};

/** Every name that an endpoint may subscribe to. */
export const EVENT_NAMES = Object.keys(EVENTS) as [SentEventName, ...SentEventName[]];

/** An event as the code that causes it says it. */
export interface NewEvent<N extends EventName = EventName> {
  name: N;
  workspaceId: WorkspaceId;
  /** The agent's mailbox it concerns; null where it concerns the workspace. */
  mailboxId: MailboxId | null;
  data: EventData[N];
}
