/** Sends by workspace and mailbox, day and month. Counted in the transaction that accepts a send. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { formatDay, formatMonth } from '../../kernel/utc-period.ts';
import type { Entity, StoredValue } from '../mapping.ts';
import { preparedChange } from '../prepared-statement.ts';
import { findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { usage } from './sending-mappings.ts';

const counts = usage.pick('units', 'cold');
export type Usage = Entity<typeof counts>;

export const findUsage = async (db: Db, scope: WorkspaceId | MailboxId, period: string): Promise<Usage> =>
  (await findRow(db, usage, { scope, period }, { as: counts })) ?? { units: 0, cold: 0 };

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

interface Added {
  [name: string]: StoredValue;
  workspaceId: Uint8Array;
  mailboxId: Uint8Array;
  day: string;
  month: string;
  units: number;
  cold: number;
}

/** All four rows in one statement: each send takes it. */
const add = preparedChange((db, { workspaceId, mailboxId, day, month, units, cold }: Added) =>
  db
    .insertInto('usage')
    .values([
      { scope: workspaceId, period: day, units, cold },
      { scope: workspaceId, period: month, units, cold },
      { scope: mailboxId, period: day, units, cold },
      { scope: mailboxId, period: month, units, cold },
    ])
    .onConflict((conflict) =>
      conflict.columns(['scope', 'period']).doUpdateSet((eb) => ({
        units: eb('usage.units', '+', eb.ref('excluded.units')),
        cold: eb('usage.cold', '+', eb.ref('excluded.cold')),
      })),
    ),
);

export const addUsage = async (
  tx: Tx,
  of: { workspaceId: WorkspaceId; mailboxId: MailboxId },
  now: Millis,
  { units, cold }: Usage,
): Promise<void> => {
  const scopes = { workspaceId: toBlob(of.workspaceId), mailboxId: toBlob(of.mailboxId) };
  add(tx, { ...scopes, day: formatDay(now), month: formatMonth(now), units, cold });
};
