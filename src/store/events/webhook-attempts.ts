/** The log of attempts at webhook endpoints. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId, type WebhookId, type WorkspaceId } from '../../kernel/ids.ts';
import type { Span } from '../mail/mailbox-counts.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { below, deleteSome, findValue } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { webhookAttempts } from './events-mappings.ts';

type NewAttempt = Omit<Entity<typeof webhookAttempts>, 'at' | 'workspaceId'>;

const logged = webhookAttempts.omit('workspaceId', 'eventSeq');

export type WebhookAttempt = Entity<typeof logged> & {
  /** The event's, shared by all attempts at it. */
  deliveryId: string;
  event: string;
};

const insert = preparedInsert(webhookAttempts);

/** A workspace's attempts have unique times, so that a client may page by them. @returns the time it was given */
export const insertWebhookAttempt = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  attempt: NewAttempt,
  now: Millis,
): Promise<Millis> => {
  const last = await findValue(tx.db, webhookAttempts, 'at', { workspaceId }, { at: 'desc' });
  const at = last !== null && last >= now ? last + 1 : now;
  await insert(tx, { ...attempt, workspaceId, at });
  return at;
};

/** Attempts before a time at these endpoints, newest first; null: at all that the workspace had. */
export const listWebhookAttempts = async (
  db: Db,
  workspaceId: WorkspaceId,
  among: readonly WebhookId[] | null,
  before: Millis | null,
  limit: number,
): Promise<WebhookAttempt[]> => {
  let query = db
    .selectFrom('webhook_attempts as a')
    .innerJoin('events as e', 'e.seq', 'a.event_seq')
    .select(logged.names.map((name) => `a.${name}` as const))
    .select(['e.id', 'e.name'])
    .orderBy('a.at', 'desc')
    .limit(limit);
  query = among
    ? query.where('a.webhook_id', 'in', among.map(idToBytes))
    : query.where('a.workspace_id', '=', idToBytes(workspaceId));
  if (before !== null) query = query.where('a.at', '<', before);
  return (await query.execute()).map((row) => ({ ...logged.read(row), deliveryId: row.id, event: row.name }));
};

/** An event that an endpoint was told of. */
export interface Wake {
  seq: number;
  /** The time of the first attempt. */
  at: Millis;
  /** Whether an endpoint took it. */
  isTaken: boolean;
}

/**
 * Events of a mailbox that endpoints were told of in a span of time, which bounds the cost; the latest first.
 * @param most attempts at them
 */
export const listWakes = async (
  db: Db,
  workspaceId: WorkspaceId,
  mailboxId: MailboxId,
  { since, until }: Span,
  most: number,
): Promise<Wake[]> => {
  const attempts = await db
    .selectFrom('webhook_attempts as a')
    .innerJoin('events as e', 'e.seq', 'a.event_seq')
    .select(['a.event_seq', 'a.at', 'a.status_code'])
    .where('a.workspace_id', '=', idToBytes(workspaceId))
    .where('a.at', '>=', since)
    .where('a.at', '<', until)
    .where('e.mailbox_id', '=', idToBytes(mailboxId))
    .orderBy('a.at', 'desc')
    .limit(most)
    .execute();
  const wakes = new Map<number, Wake>();
  for (const { event_seq: seq, at, status_code: status } of attempts) {
    const isTaken = (status !== null && status >= 200 && status < 300) || wakes.get(seq)?.isTaken === true;
    wakes.set(seq, { seq, at, isTaken });
  }
  return [...wakes.values()].sort((one, other) => other.at - one.at);
};

/** Deletes some of the attempts before a time. @returns their number, at most `limit` */
export const purgeWebhookAttempts = (tx: Tx, before: Millis, limit: number): Promise<number> =>
  deleteSome(tx, webhookAttempts, { at: below(before) }, limit);
