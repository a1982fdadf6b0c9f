/** Addresses that a workspace's mail no longer goes to. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, below, deleteAndCount, findRow, findValue, listRows, nullOr, within } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
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

const ending = suppressions.pick('address', 'reason', 'until', 'createdAt');
export type Suppressed = Entity<typeof ending>;
const inForce = (now: Millis) => ({ until: nullOr(above(now)) });

/** Those of `addresses` that are suppressed at `now`. */
export const findSuppressed = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  now: Millis,
): Promise<Suppressed[]> => {
  const found: Suppressed[] = [];
  for (const address of addresses) {
    const entry = await findRow(db, suppressions, { workspaceId, address, ...inForce(now) }, { as: ending });
    if (entry) found.push(entry);
  }
  return found;
};

/** In force at `now`, newest first, those before `position`. */
export const listSuppressions = (
  db: Db,
  workspaceId: WorkspaceId,
  now: Millis,
  position: Millis | null,
  limit: number,
): Promise<Suppression[]> => {
  const before = position !== null && { createdAt: below(position) };
  const chosen = { workspaceId, ...inForce(now), ...before };
  return listRows(db, suppressions, chosen, { order: { createdAt: 'desc' }, limit, as: mapped });
};

/** Sorts behind whatever follows a beginning. */
const LAST_CHARACTER = '\u{10ffff}';

/** In force at `now`, with addresses that begin so, by address. */
export const findSuppressionsBeginning = (
  db: Db,
  workspaceId: WorkspaceId,
  now: Millis,
  beginning: string,
  limit: number,
): Promise<Suppression[]> => {
  const address = within(beginning as Address, `${beginning}${LAST_CHARACTER}` as Address);
  const chosen = { workspaceId, address, ...inForce(now) };
  return listRows(db, suppressions, chosen, { order: { address: 'asc' }, limit, as: mapped });
};

export const findSuppression = (db: Db, workspaceId: WorkspaceId, address: Address): Promise<Suppression | null> =>
  findRow(db, suppressions, { workspaceId, address }, { as: mapped });

export const deleteSuppression = async (tx: Tx, workspaceId: WorkspaceId, address: Address): Promise<boolean> =>
  (await deleteAndCount(tx, suppressions, { workspaceId, address })) > 0;
