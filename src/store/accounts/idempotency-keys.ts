/** Replies kept under the keys that clients gave with their requests. */

import type { Millis } from '../../kernel/clock.ts';
import type { KeyId } from '../../kernel/ids.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';

export interface IdempotencyRecord {
  /** Of the operation and the body. */
  fingerprint: Buffer;
  status: number;
  body: string;
  createdAt: Millis;
}

export const findIdempotencyRecord = async (
  db: Db,
  apiKeyId: KeyId,
  key: string,
  since: Millis,
): Promise<IdempotencyRecord | null> => {
  const row = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('api_key_id', '=', toBlob(apiKeyId))
    .where('key', '=', key)
    .where('created_at', '>', since)
    .executeTakeFirst();
  return row
    ? { fingerprint: Buffer.from(row.fingerprint), status: row.status, body: row.body, createdAt: row.created_at }
    : null;
};

export const insertIdempotencyRecord = async (
  tx: Tx,
  apiKeyId: KeyId,
  key: string,
  reply: IdempotencyRecord,
): Promise<void> => {
  const values = {
    api_key_id: toBlob(apiKeyId),
    key,
    fingerprint: reply.fingerprint,
    status: reply.status,
    body: reply.body,
    created_at: reply.createdAt,
  };
  await tx.db
    .insertInto('idempotency_keys')
    .values(values)
    .onConflict((conflict) => conflict.columns(['api_key_id', 'key']).doUpdateSet(values))
    .execute();
};

export const purgeIdempotencyRecords = async (tx: Tx, before: Millis): Promise<void> => {
  await tx.db.deleteFrom('idempotency_keys').where('created_at', '<=', before).execute();
};
