/** How a workspace's mail fared, by the hour: what its bounce and complaint rates are made of. */

import { DAY, HOUR, type Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';

/** Counts of recipients, `mails` aside. Bounces are those that say that the address is bad. */
export interface Outcomes {
  /** Deliveries that ended, however. */
  ended: number;
  /** Mails of which at least one delivery ended. */
  mails: number;
  bounced: number;
  complained: number;
  /** Of replies, at most one for each day and organisational domain: {@link isFirstOfReply}. */
  replyBounced: number;
  replyComplained: number;
}

const add = preparedInsert(
  'outcomes',
  ['workspace_id', 'hour', 'ended', 'mails', 'bounced', 'complained', 'reply_bounced', 'reply_complained'],
  `on conflict (workspace_id, hour) do update set
    ended = outcomes.ended + excluded.ended, mails = outcomes.mails + excluded.mails,
    bounced = outcomes.bounced + excluded.bounced, complained = outcomes.complained + excluded.complained,
    reply_bounced = outcomes.reply_bounced + excluded.reply_bounced,
    reply_complained = outcomes.reply_complained + excluded.reply_complained`,
);

export const addOutcomes = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  now: Millis,
  counts: Partial<Outcomes>,
): Promise<void> => {
  const { ended = 0, mails = 0, bounced = 0, complained = 0, replyBounced = 0, replyComplained = 0 } = counts;
  await add(tx, {
    workspace_id: toBlob(workspaceId),
    hour: now - (now % HOUR),
    ended,
    mails,
    bounced,
    complained,
    reply_bounced: replyBounced,
    reply_complained: replyComplained,
  });
};

const COUNTS = ['ended', 'mails', 'bounced', 'complained', 'reply_bounced', 'reply_complained'] as const;

const sumSince = preparedSelect((db, workspaceId: Uint8Array, since: number) =>
  db
    .selectFrom('outcomes')
    .select((eb) => COUNTS.map((count) => eb.fn.coalesce(eb.fn.sum<number>(count), eb.lit(0)).as(count)))
    .where('workspace_id', '=', workspaceId)
    .where('hour', '>', since),
);

/** The hours that lie wholly or in part after `since`. */
export const sumOutcomes = async (db: Db, workspaceId: WorkspaceId, since: Millis): Promise<Outcomes> => {
  const [row] = await sumSince(db, toBlob(workspaceId), since - HOUR);
  return {
    ended: row?.ended ?? 0,
    mails: row?.mails ?? 0,
    bounced: row?.bounced ?? 0,
    complained: row?.complained ?? 0,
    replyBounced: row?.reply_bounced ?? 0,
    replyComplained: row?.reply_complained ?? 0,
  };
};

/**
 * Whether this is the workspace's first bounce, or complaint, of a reply to that organisational domain on the UTC day of
 * `now`. Notes it.
 */
export const isFirstOfReply = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: 'bounced' | 'complained',
  organisation: string,
  now: Millis,
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('reply_outcomes')
    .values({ workspace_id: toBlob(workspaceId), day: now - (now % DAY), kind, organisation })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
};

/** Days that are over are counted already. */
export const purgeReplyOutcomes = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db
    .deleteFrom('reply_outcomes')
    .where('day', '<', now - DAY)
    .execute();
};
