/** Sends by workspace and mailbox, day and month. Counted in the transaction that accepts a send. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId, type WorkspaceId } from '../../kernel/ids.ts';
import { formatDay, formatMonth } from '../../kernel/utc-period.ts';
import type { Entity } from '../mapping.ts';
import { preparedAdd } from '../prepared-insert.ts';
import { findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
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
    .where('scope', '=', idToBytes(scope))
    .where('period', 'in', periods)
    .execute();
  return new Map(rows.map((row) => [row.period, counts.read(row)]));
};

const add = preparedAdd(usage);

export const addUsage = async (
  tx: Tx,
  of: { workspaceId: WorkspaceId; mailboxId: MailboxId },
  now: Millis,
  { units, cold }: Usage,
): Promise<void> => {
  const scopes = [of.workspaceId, of.mailboxId];
  const periods = [formatDay(now), formatMonth(now)];
  await add(tx, ...scopes.flatMap((scope) => periods.map((period) => ({ scope, period, units, cold }))));
};
