/** Sends by workspace and mailbox, day and month. Counted in the transaction that accepts a send. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { formatDay, formatMonth } from '../../kernel/utc-period.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { usage } from './sending-mappings.ts';

const counts = usage.pick('units', 'cold');
export type Usage = Entity<typeof counts>;

const byScope = preparedSelect((db, { scope, period }: { scope: Uint8Array; period: string }) =>
  db.selectFrom('usage').select(counts.names).where('scope', '=', scope).where('period', '=', period),
);

export const findUsage = async (db: Db, scope: WorkspaceId | MailboxId, period: string): Promise<Usage> => {
  const [row] = await byScope(db, { scope: toBlob(scope), period });
  return row ? counts.read(row) : { units: 0, cold: 0 };
};

export const listUsage = async (
  db: Db,
  scope: WorkspaceId | MailboxId,
  periods: readonly string[],
): Promise<Map<string, Usage>> => {
  const rows = await db
    .selectFrom('usage')
    .select(['period', ...counts.names])
    .where('scope', '=', toBlob(scope))
    .where('period', 'in', periods)
    .execute();
  return new Map(rows.map((row) => [row.period, counts.read(row)]));
};

const add = preparedInsert(usage, (conflict) =>
  conflict.columns(['scope', 'period']).doUpdateSet((eb) => ({
    units: eb('usage.units', '+', eb.ref('excluded.units')),
    cold: eb('usage.cold', '+', eb.ref('excluded.cold')),
  })),
);

export const addUsage = async (
  tx: Tx,
  scopes: readonly (WorkspaceId | MailboxId)[],
  now: Millis,
  { units, cold }: Usage,
): Promise<void> => {
  for (const scope of scopes) {
    for (const period of [formatDay(now), formatMonth(now)]) await add(tx, { scope, period, units, cold });
  }
};
