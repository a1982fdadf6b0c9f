/**
 * Deliveries that the box that leads has passed to another box, which sends to their destinations. They count as leased
 * by that box; until it takes them, their lease has no end.
 */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, RunId } from '../../kernel/ids.ts';
import { preparedChange, preparedSelect } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { type Delivery, deliveryMapping, type Lease } from './deliveries.ts';
import { leaseFound } from './delivery-queue.ts';

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
  (await heldElsewhere(db, { lane, by: toBlob(by), to: toBlob(by) })).length > 0;

const heldBy = (db: Db, to: Uint8Array, most: number) =>
  db.selectFrom('deliveries').select('id').where('lane', 'is not', null).where('leased_by', '=', to).limit(most);
const countOf = (db: Db, held: ReturnType<typeof heldBy>) =>
  db.selectFrom(held.as('held')).select((eb) => eb.fn.countAll<number>().as('count'));
const countHeld = preparedSelect((db, { to, most }: { to: Uint8Array; most: number }) =>
  countOf(db, heldBy(db, to, most)),
);
const countInLane = preparedSelect((db, one: { to: Uint8Array; lane: number; most: number }) =>
  countOf(db, heldBy(db, one.to, one.most).where('lane', '=', one.lane)),
);

interface Passed {
  [name: string]: number | Uint8Array;
  id: Uint8Array;
  by: Uint8Array;
  to: Uint8Array;
  lane: number;
  until: number;
}

const pass = preparedChange((db, { id, by, to, lane, until }: Passed) =>
  db
    .updateTable('deliveries')
    .set({ lane, leased_by: to, leased_until: sql.lit(0), due_at: until })
    .where('id', '=', id)
    .where('leased_by', '=', by),
);

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
export const passDelivery = async (tx: Tx, id: DeliveryId, { most, ...passed }: PassedTo): Promise<boolean> => {
  const [by, to] = [toBlob(passed.by), toBlob(passed.to)];
  const { lane } = passed;
  const isFull = ([row]: { count: number }[], limit: number) => Number(row?.count) >= limit;
  const [elsewhere, inLane, inAll] = await Promise.all([
    heldElsewhere(tx.db, { lane, by, to }),
    countInLane(tx.db, { to, lane, most: most.ofLane }),
    countHeld(tx.db, { to, most: most.inAll }),
  ]);
  if (elsewhere.length > 0 || isFull(inLane, most.ofLane) || isFull(inAll, most.inAll)) return false;
  pass(tx, { ...passed, id: toBlob(id), by, to });
  tellOthers(tx);
  return true;
};

const untaken = preparedSelect((db, { by, limit }: { by: Uint8Array; limit: number }) =>
  db
    .selectFrom('deliveries')
    .select(deliveryMapping.names)
    .where('lane', 'is not', null)
    .where('leased_by', '=', by)
    .where('leased_until', '=', sql.lit(0))
    .limit(limit),
);

/** Whether there are some that this run has not taken. */
export const isPassedTo = async (db: Db, by: RunId): Promise<boolean> =>
  (await untaken(db, { by: toBlob(by), limit: 1 })).length > 0;

/** Leases up to `limit` of those that were passed to this run. */
export const takePassed = (tx: Tx, claim: Lease, limit: number): Promise<Delivery[]> =>
  leaseFound(tx, () => untaken(tx.db, { by: toBlob(claim.by), limit }), claim);

/** Gives back what was passed to a run and not taken; the box that leads looks for it at once. */
export const returnPassed = async (tx: Tx, by: RunId): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set((eb) => ({ leased_by: null, due_at: eb.ref('next_attempt_at') }))
    .where('lane', 'is not', null)
    .where('leased_by', '=', toBlob(by))
    .where('leased_until', '=', sql.lit(0))
    .execute();
  tellOthers(tx);
};
