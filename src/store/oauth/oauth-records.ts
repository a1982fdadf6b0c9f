/**
 * Authorization requests, codes and tokens. A client holds the value; the store has only its hash, so that a copy of
 * the file grants no access.
 */

import { createHash } from 'node:crypto';
import type { Millis } from '../../kernel/clock.ts';
import type { GrantId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { above, deleteRows, findRow, updateAndCount } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { oauthRecords } from './oauth-mappings.ts';

export type OauthRecord = Entity<typeof oauthRecords>;

/** The value has 256 random bits: the time of a look-up by its hash reveals nothing. */
export const hashOauthValue = (value: string): Buffer => createHash('sha256').update(value).digest();

/** Inserts the record, or replaces what is stored under its hash; a consumed one stays consumed. */
export const upsertOauthRecord = preparedPut(oauthRecords, 'payload', 'expiresAt');

/** Consumed records too: their reuse ends the grant. */
export const findOauthRecord = (db: Db, kind: string, hash: Uint8Array, now: Millis): Promise<OauthRecord | null> =>
  findRow(db, oauthRecords, { kind, hash, expiresAt: above(now) });

/** @returns false where it was consumed before, or is gone */
export const consumeOauthRecord = async (tx: Tx, kind: string, hash: Uint8Array, now: Millis): Promise<boolean> =>
  (await updateAndCount(tx, oauthRecords, { kind, hash, consumedAt: null }, { consumedAt: now })) > 0;

export const deleteOauthRecord = (tx: Tx, kind: string, hash: Uint8Array): Promise<void> =>
  deleteRows(tx, oauthRecords, { kind, hash });

/** @param kind null: all of the grant's */
export const deleteOauthRecordsOf = (tx: Tx, grantId: GrantId, kind: string | null): Promise<void> =>
  deleteRows(tx, oauthRecords, { grantId, ...(kind !== null && { kind }) });
