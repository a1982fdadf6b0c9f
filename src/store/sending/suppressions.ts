/** Addresses that a workspace's mail no longer goes to. */

import { type Selectable, sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MessageId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface Suppression {
  address: Address;
  reason: 'bounce' | 'complaint' | 'manual';
  bounceType: string | null;
  messageId: MessageId | null;
  /** Null: for good. */
  until: Millis | null;
  createdAt: Millis;
}

const fromRow = (row: Selectable<Schema['suppressions']>): Suppression => ({
  address: row.address as Address,
  reason: row.reason,
  bounceType: row.bounce_type,
  messageId: row.message_id && fromBlob(row.message_id),
  until: row.until,
  createdAt: row.created_at,
});

/** The latest word on an address stands, save that what is for good is not shortened. */
export const insertSuppression = async (tx: Tx, workspaceId: WorkspaceId, entry: Suppression): Promise<void> => {
  const values = {
    workspace_id: toBlob(workspaceId),
    address: entry.address,
    reason: entry.reason,
    bounce_type: entry.bounceType,
    message_id: entry.messageId && toBlob(entry.messageId),
    until: entry.until,
    created_at: await nextTime(tx, workspaceId, entry.createdAt),
  };
  await tx.db
    .insertInto('suppressions')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'address'])
        .doUpdateSet(values)
        .where((eb) => eb.or([eb('suppressions.until', 'is not', null), eb(eb.val(entry.until), 'is', null)])),
    )
    .execute();
};

/** No two of a workspace share their time, so that a client may page by it. */
const nextTime = async (tx: Tx, workspaceId: WorkspaceId, now: Millis): Promise<Millis> => {
  const row = await tx.db
    .selectFrom('suppressions')
    .select('created_at')
    .where('workspace_id', '=', toBlob(workspaceId))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && row.created_at >= now ? row.created_at + 1 : now;
};

const inForce = preparedSelect((db, workspaceId: Uint8Array, address: string, now: number) =>
  db
    .selectFrom('suppressions')
    .select(['address', 'until'])
    .where('workspace_id', '=', workspaceId)
    .where('address', '=', address)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)])),
);

/** Those of `addresses` that are suppressed at `now`, and until when; null: for good. */
export const findSuppressed = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  now: Millis,
): Promise<Pick<Suppression, 'address' | 'until'>[]> => {
  const found: Pick<Suppression, 'address' | 'until'>[] = [];
  for (const address of addresses) {
    const [row] = await inForce(db, toBlob(workspaceId), address, now);
    if (row) found.push({ address, until: row.until });
  }
  return found;
};

/** Newest first, those before `position`; what is over is left out. */
export const listSuppressions = async (
  db: Db,
  workspaceId: WorkspaceId,
  now: Millis,
  position: Millis | null,
  limit: number,
): Promise<Suppression[]> => {
  let query = db
    .selectFrom('suppressions')
    .selectAll()
    .where('workspace_id', '=', toBlob(workspaceId))
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .orderBy('created_at', 'desc')
    .limit(limit);
  if (position !== null) query = query.where('created_at', '<', position);
  return (await query.execute()).map(fromRow);
};

export const deleteSuppression = async (tx: Tx, workspaceId: WorkspaceId, address: Address): Promise<boolean> => {
  const result = await tx.db
    .deleteFrom('suppressions')
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('address', '=', address)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
};

export const purgeEndedSuppressions = async (tx: Tx, now: Millis): Promise<void> => {
  await sql`delete from suppressions where until is not null and until <= ${now}`.execute(tx.db);
};
