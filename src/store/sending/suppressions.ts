/** Addresses that a workspace's mail no longer goes to. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { atMost, deleteAndCount, deleteRows, findRow, findValue } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { suppressions } from './sending-mappings.ts';

const mapped = suppressions.omit('workspaceId');
export type Suppression = Entity<typeof mapped>;

const replacing = suppressions.omit('workspaceId', 'address').names;

const put = preparedInsert(suppressions, (conflict) =>
  conflict
    .columns(['workspace_id', 'address'])
    .doUpdateSet((eb) => Object.fromEntries(replacing.map((name) => [name, eb.ref(`excluded.${name}`)])))
    .where((eb) => eb.or([eb('suppressions.until', 'is not', null), eb('excluded.until', 'is', null)]))
    .where((eb) =>
      eb.or([
        eb('suppressions.until', 'is not', null),
        eb('suppressions.reason', '=', 'bounce'),
        eb('excluded.reason', '!=', 'bounce'),
      ]),
    ),
);

/** Replaces an earlier entry of the address, except that one for good is not shortened, nor a person's or a complaint's by a bounce. */
export const insertSuppression = async (tx: Tx, workspaceId: WorkspaceId, entry: Suppression): Promise<void> => {
  await put(tx, { ...entry, workspaceId, createdAt: await nextTime(tx, workspaceId, entry.createdAt) });
};

/** A workspace's suppressions have unique times, so that a client may page by them. */
const nextTime = async (tx: Tx, workspaceId: WorkspaceId, now: Millis): Promise<Millis> => {
  const last = await findValue(tx.db, suppressions, 'createdAt', { workspaceId }, { createdAt: 'desc' });
  return last !== null && last >= now ? last + 1 : now;
};

const inForce = preparedSelect(
  (db, { workspaceId, address, now }: { workspaceId: Uint8Array; address: string; now: number }) =>
    db
      .selectFrom('suppressions')
      .select(['address', 'until'])
      .where('workspace_id', '=', workspaceId)
      .where('address', '=', address as Address)
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
    const [row] = await inForce(db, { workspaceId: toBlob(workspaceId), address, now });
    if (row) found.push({ address, until: row.until });
  }
  return found;
};

/** In force at `now`, newest first, those before `position`. */
export const listSuppressions = async (
  db: Db,
  workspaceId: WorkspaceId,
  now: Millis,
  position: Millis | null,
  limit: number,
): Promise<Suppression[]> => {
  let query = db
    .selectFrom('suppressions')
    .select(mapped.names)
    .where('workspace_id', '=', toBlob(workspaceId))
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .orderBy('created_at', 'desc')
    .limit(limit);
  if (position !== null) query = query.where('created_at', '<', position);
  return (await query.execute()).map(mapped.read);
};

/** Sorts behind whatever follows a beginning. */
const LAST_CHARACTER = '\u{10ffff}';

/** In force at `now`, with addresses that begin so, by address. */
export const findSuppressionsBeginning = async (
  db: Db,
  workspaceId: WorkspaceId,
  now: Millis,
  beginning: string,
  limit: number,
): Promise<Suppression[]> => {
  const rows = await db
    .selectFrom('suppressions')
    .select(mapped.names)
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('address', '>=', beginning as Address)
    .where('address', '<', `${beginning}${LAST_CHARACTER}` as Address)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .orderBy('address')
    .limit(limit)
    .execute();
  return rows.map(mapped.read);
};

export const findSuppression = (db: Db, workspaceId: WorkspaceId, address: Address): Promise<Suppression | null> =>
  findRow(db, suppressions, { workspaceId, address }, { as: mapped });

export const deleteSuppression = async (tx: Tx, workspaceId: WorkspaceId, address: Address): Promise<boolean> =>
  (await deleteAndCount(tx, suppressions, { workspaceId, address })) > 0;

export const purgeEndedSuppressions = async (tx: Tx, now: Millis): Promise<void> => {
  await deleteRows(tx, suppressions, { until: atMost(now) });
};
