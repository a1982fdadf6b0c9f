/** The tables of events, webhooks and notices. What each column promises stands beside it in migrations/. */

import { buffer, flag, id, json, mapping, number, text } from '../mapping.ts';

/** Why an endpoint is disabled. Paused by its owner, no events wait for it; otherwise they do. */
export type DisabledReason = 'paused' | 'failures' | 'gone';

/** Withheld by the state of its maker's agent: suspended, or held without a person's approval. */
export type Withheld = 'suspended' | 'approval';

export const events = mapping('events', {
  /** Given by the store alone. Ascends with the commits, with gaps: a reader continues after its last one. */
  seq: number().defaulted(),
  /** The envelope's id, `evt_…`. */
  id: text(),
  workspaceId: id<'workspace'>(),
  mailboxId: id<'mailbox'>().nullable(),
  name: text(),
  data: json<Record<string, unknown>>(),
  createdAt: number(),
});

export const webhooks = mapping('webhooks', {
  id: id<'webhook'>(),
  workspaceId: id<'workspace'>(),
  /** Null: the whole workspace's events. */
  mailboxId: id<'mailbox'>().nullable(),
  /** Null: a person, or made before this was recorded. */
  madeBy: id<'agent'>().nullable(),
  /** The OAuth grant that made it and ends it. Null: made by an API key. */
  madeByGrant: id<'grant'>().nullable(),
  url: text(),
  events: json<string[]>(),
  sealedSecrets: buffer(),
  headerNames: json<string[]>(),
  /** Null: none. */
  sealedHeaders: buffer().nullable(),
  /** JSON text. */
  template: text().nullable(),
  active: flag(),
  disabledReason: text<DisabledReason>().nullable(),
  /** Events are neither sent nor queued meanwhile. Null: not withheld. */
  withheld: text<Withheld>().nullable(),
  /** Failed attempts since the last success. */
  failureCount: number(),
  /** Nothing is sent before: the endpoint's last Retry-After. */
  deferredUntil: number().nullable(),
  createdAt: number(),
  updatedAt: number(),
});

export const webhookDeliveries = mapping('webhook_deliveries', {
  webhookId: id<'webhook'>(),
  eventSeq: number(),
  /** Made so far. */
  attempts: number(),
  /** Null: no further attempt. */
  nextAttemptAt: number().nullable(),
  lastAttemptAt: number().nullable(),
  /** The bytes of an earlier attempt, where a template made them; null: the event's envelope. */
  body: buffer().nullable(),
}).keyedBy('webhookId', 'eventSeq');

export const webhookAttempts = mapping('webhook_attempts', {
  workspaceId: id<'workspace'>(),
  at: number(),
  webhookId: id<'webhook'>(),
  eventSeq: number(),
  /** 1 for the first. */
  attempt: number(),
  /** Null where no answer came. */
  statusCode: number().nullable(),
  responseBody: text().nullable(),
  durationMs: number(),
  /** Why no answer came; null where one did. */
  error: text().nullable(),
}).keyedBy('workspaceId', 'at');

export const notices = mapping('notices', {
  id: id<'notice'>(),
  /** The kinds and their data: src/notices/notice-kinds.ts. Data names rows rather than repeating them. */
  kind: text(),
  ownerEmail: text(),
  data: json<object>(),
  /** Not mailed before. */
  dueAt: number(),
  createdAt: number(),
});

/** A role mail listed in a digest. */
export interface WithheldMail {
  address: string;
  from: string;
  subject: string;
}

export const roleMailDays = mapping('role_mail_days', {
  ownerEmail: text(),
  day: number(),
  count: number(),
  withheld: json<WithheldMail[]>().defaulted(),
}).keyedBy('ownerEmail', 'day');

export const heldNoticeHours = mapping('held_notice_hours', {
  ownerEmail: text(),
  hour: number(),
  count: number(),
}).keyedBy('ownerEmail', 'hour');
