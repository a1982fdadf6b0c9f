/** How a workspace's mail fared, by the hour: what its bounce and complaint rates are made of. */

import { HOUR, type Millis } from '../kernel/clock.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { preparedInsert } from './sqlite/prepared-insert.ts';
import type { Db, Tx } from './store.ts';
import { toBlob } from './values.ts';

/** Recipients. */
export interface Outcomes {
  sent: number;
  bounced: number;
  complained: number;
}

const add = preparedInsert(
  'outcomes',
  ['workspace_id', 'hour', 'sent', 'bounced', 'complained'],
  `on conflict (workspace_id, hour) do update set
    sent = sent + excluded.sent, bounced = bounced + excluded.bounced, complained = complained + excluded.complained`,
);

export const addOutcomes = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  now: Millis,
  { sent = 0, bounced = 0, complained = 0 }: Partial<Outcomes>,
): Promise<void> => {
  await add(tx, { workspace_id: toBlob(workspaceId), hour: now - (now % HOUR), sent, bounced, complained });
};

/** The hours that lie wholly or in part after `since`. */
export const sumOutcomes = async (db: Db, workspaceId: WorkspaceId, since: Millis): Promise<Outcomes> =>
  db
    .selectFrom('outcomes')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>('sent'), eb.lit(0)).as('sent'),
      eb.fn.coalesce(eb.fn.sum<number>('bounced'), eb.lit(0)).as('bounced'),
      eb.fn.coalesce(eb.fn.sum<number>('complained'), eb.lit(0)).as('complained'),
    ])
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('hour', '>', since - HOUR)
    .executeTakeFirstOrThrow();
