/** How much was sent: by workspace and mailbox, day and month. Counted in the transaction that accepts a send. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { dayOf, monthOf } from '../../kernel/utc-period.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';

export interface Usage {
  /** Tenths of a send: a reply counts one, any other send ten. */
  units: number;
  /** Cold sends. */
  cold: number;
}

export const findUsage = async (db: Db, scope: WorkspaceId | MailboxId, period: string): Promise<Usage> =>
  (await db
    .selectFrom('usage')
    .select(['units', 'cold'])
    .where('scope', '=', toBlob(scope))
    .where('period', '=', period)
    .executeTakeFirst()) ?? { units: 0, cold: 0 };

const add = preparedInsert(
  'usage',
  ['scope', 'period', 'units', 'cold'],
  'on conflict (scope, period) do update set units = units + excluded.units, cold = cold + excluded.cold',
);

export const addUsage = async (
  tx: Tx,
  scopes: readonly (WorkspaceId | MailboxId)[],
  now: Millis,
  { units, cold }: Usage,
): Promise<void> => {
  for (const scope of scopes) {
    for (const period of [dayOf(now), monthOf(now)]) {
      await add(tx, { scope: toBlob(scope), period, units, cold });
    }
  }
};
