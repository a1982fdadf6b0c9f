/**
 * Deliveries that the box that leads has passed to another box, which sends to their destinations. They count as leased
 * by that box; until it takes them, their lease has no end.
 */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { type DeliveryId, idToBytes, type RunId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { countUpTo, findValue, listRows, literal, notNull, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { type Delivery, deliveryMapping, type Lease } from './deliveries.ts';
import { lease } from './delivery-queue.ts';
import { deliveries } from './sending-mappings.ts';

const heldElsewhere = preparedSelect((db, { lane, by, to }: { lane: number; by: Uint8Array; to: Uint8Array }) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('lane', '=', lane)
    .where('leased_by', 'is not', null)
    .where('leased_by', '!=', to)
    .where('leased_by', '!=', by)
    .limit(sql.lit(1)),
);

/** Whether a run other than this one has deliveries of a lane. */
export const isLaneHeldElsewhere = async (db: Db, lane: number, by: RunId): Promise<boolean> =>
  (await heldElsewhere(db, { lane, by: idToBytes(by), to: idToBytes(by) })).length > 0;

/** Other boxes are told of a unit that has an effect. */
const tellOthers = (tx: Tx): void => tx.afterCommit(() => {});

export interface PassedTo {
  /** Has leased it. */
  by: RunId;
  to: RunId;
  lane: number;
  /** Where it is not taken by then, it is due again. */
  until: Millis;
  /** What a box may have of those that were passed to it, in all and of one lane. */
  most: { inAll: number; ofLane: number };
}

/** @returns false where a third box still has deliveries of the lane, or this one has as many as it may */
export const passDelivery = async (tx: Tx, id: DeliveryId, passed: PassedTo): Promise<boolean> => {
  const { by, to, lane, until, most } = passed;
  const held = { lane: notNull, leasedBy: to };
  const [elsewhere, ofLane, inAll] = await Promise.all([
    heldElsewhere(tx.db, { lane, by: idToBytes(by), to: idToBytes(to) }),
    countUpTo(tx.db, deliveries, { ...held, lane }, most.ofLane),
    countUpTo(tx.db, deliveries, held, most.inAll),
  ]);
  if (elsewhere.length > 0 || ofLane >= most.ofLane || inAll >= most.inAll) return false;
  await updateRows(tx, deliveries, { id, leasedBy: by }, { lane, leasedBy: to, leasedUntil: 0, dueAt: until });
  tellOthers(tx);
  return true;
};

const untakenBy = (by: RunId) => ({ lane: notNull, leasedBy: by, leasedUntil: literal(0) });

/** Whether there are some that this run has not taken. */
export const isPassedTo = async (db: Db, by: RunId): Promise<boolean> =>
  (await findValue(db, deliveries, 'id', untakenBy(by))) !== null;

/** Leases up to `limit` of those that were passed to this run. */
export const takePassed = (tx: Tx, claim: Lease, limit: number): Promise<Delivery[]> =>
  lease(tx, listRows(tx.db, deliveries, untakenBy(claim.by), { limit, as: deliveryMapping }), claim);

/** Gives back what was passed to a run and not taken; the box that leads looks for it at once. */
export const returnPassed = async (tx: Tx, by: RunId): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set((eb) => ({ leased_by: null, due_at: eb.ref('next_attempt_at') }))
    .where('lane', 'is not', null)
    .where('leased_by', '=', idToBytes(by))
    .where('leased_until', '=', sql.lit(0))
    .execute();
  tellOthers(tx);
};
