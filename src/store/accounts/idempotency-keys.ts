/** Idempotency records: the answers of requests that came with an Idempotency-Key. */

import { HOUR, type Millis } from '../../kernel/clock.ts';
import type { KeyId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsertNew } from '../prepared-insert.ts';
import { above, atMost, deleteRows, findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { idempotencyKeys } from './accounts-mappings.ts';

export const IDEMPOTENCY_RETENTION_MS = 24 * HOUR;

const record = idempotencyKeys.omit('apiKeyId', 'key');
export type IdempotencyRecord = Entity<typeof record>;

export const findIdempotencyRecord = (
  db: Db,
  apiKeyId: KeyId,
  key: string,
  since: Millis,
): Promise<IdempotencyRecord | null> =>
  findRow(db, idempotencyKeys, { apiKeyId, key, createdAt: above(since) }, { as: record });

const insert = preparedInsertNew(idempotencyKeys);

/**
 * Inserts the answer, in the place of an expired answer.
 * @param since records no younger than this have expired
 * @returns false where the key has a record already, which another process wrote since it was looked up
 */
export const insertIdempotencyRecord = async (
  tx: Tx,
  apiKeyId: KeyId,
  key: string,
  answer: IdempotencyRecord,
  since: Millis,
): Promise<boolean> => {
  await deleteRows(tx, idempotencyKeys, { apiKeyId, key, createdAt: atMost(since) });
  return insert(tx, { ...answer, apiKeyId, key });
};
