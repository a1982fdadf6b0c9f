/** The log of attempts at webhook endpoints. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface WebhookAttempt {
  webhookId: WebhookId;
  /** The event's, shared by all attempts at it. */
  deliveryId: string;
  event: string;
  /** 1 for the first. */
  attempt: number;
  at: Millis;
  /** Null where no answer came. */
  statusCode: number | null;
  responseBody: string | null;
  durationMs: number;
  /** Why no answer came; null where one did. */
  error: string | null;
}

const insert = preparedInsert('webhook_attempts', [
  'workspace_id',
  'at',
  'webhook_id',
  'event_seq',
  'attempt',
  'status_code',
  'response_body',
  'duration_ms',
  'error',
]);

const latest = preparedSelect((db, workspaceId: Uint8Array) =>
  db
    .selectFrom('webhook_attempts')
    .select('at')
    .where('workspace_id', '=', workspaceId)
    .orderBy('at', 'desc')
    .limit(sql.lit(1)),
);

type NewAttempt = Omit<WebhookAttempt, 'deliveryId' | 'event' | 'at'> & { eventSeq: number };

/** No two of a workspace share their time, so that a client may page by it. @returns the time it was given */
export const insertWebhookAttempt = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  attempt: NewAttempt,
  now: Millis,
): Promise<Millis> => {
  const [last] = await latest(tx.db, toBlob(workspaceId));
  const at = last && last.at >= now ? last.at + 1 : now;
  await insert(tx, {
    workspace_id: toBlob(workspaceId),
    at,
    webhook_id: toBlob(attempt.webhookId),
    event_seq: attempt.eventSeq,
    attempt: attempt.attempt,
    status_code: attempt.statusCode,
    response_body: attempt.responseBody,
    duration_ms: attempt.durationMs,
    error: attempt.error,
  });
  return at;
};

/** Newest first: of one endpoint or of all, those before a time. */
export const listWebhookAttempts = async (
  db: Db,
  workspaceId: WorkspaceId,
  webhookId: WebhookId | null,
  before: Millis | null,
  limit: number,
): Promise<WebhookAttempt[]> => {
  let query = db
    .selectFrom('webhook_attempts as a')
    .innerJoin('events as e', 'e.seq', 'a.event_seq')
    .select(['a.webhook_id', 'a.at', 'a.attempt', 'a.status_code', 'a.response_body', 'a.duration_ms', 'a.error'])
    .select(['e.id', 'e.name'])
    .orderBy('a.at', 'desc')
    .limit(limit);
  query = webhookId
    ? query.where('a.webhook_id', '=', toBlob(webhookId))
    : query.where('a.workspace_id', '=', toBlob(workspaceId));
  if (before !== null) query = query.where('a.at', '<', before);
  return (await query.execute()).map((row) => ({
    webhookId: fromBlob(row.webhook_id),
    deliveryId: row.id,
    event: row.name,
    attempt: row.attempt,
    at: row.at,
    statusCode: row.status_code,
    responseBody: row.response_body,
    durationMs: row.duration_ms,
    error: row.error,
  }));
};

/** Deletes some of the attempts before a time. @returns how many, at most `limit` */
export const purgeWebhookAttempts = async (tx: Tx, before: Millis, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_attempts where rowid in (
      select rowid from webhook_attempts where at < ${before} limit ${limit}
    )`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
};
