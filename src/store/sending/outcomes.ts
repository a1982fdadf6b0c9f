/** Outcomes of a workspace's mail by the hour, from which its bounce and complaint rates follow. */

import { HOUR, type Millis } from '../../kernel/clock.ts';
import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import { startOfDay } from '../../kernel/utc-period.ts';
import type { Entity } from '../mapping.ts';
import { preparedAdd, preparedInsertNew } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { atLeast, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { outcomes, replyOutcomes } from './sending-mappings.ts';

const hours = outcomes.omit('workspaceId');
const counts = hours.omit('hour');
export type Outcomes = Entity<typeof counts>;

const add = preparedAdd(outcomes);

export const addOutcomes = (tx: Tx, workspaceId: WorkspaceId, now: Millis, added: Partial<Outcomes>): Promise<void> =>
  add(tx, { ...added, workspaceId, hour: now - (now % HOUR) });

const sumSince = preparedSelect((db, { workspaceId, since }: { workspaceId: Uint8Array; since: number }) =>
  db
    .selectFrom('outcomes')
    .select((eb) => counts.names.map((name) => eb.fn.sum<number | string | null>(name).as(name)))
    .where('workspace_id', '=', workspaceId)
    .where('hour', '>', since),
);

/** The hours that lie wholly or in part after `since`. */
export const sumOutcomes = async (db: Db, workspaceId: WorkspaceId, since: Millis): Promise<Outcomes> => {
  const [sums] = await sumSince(db, { workspaceId: idToBytes(workspaceId), since: since - HOUR });
  const rows = Object.fromEntries(counts.names.map((name) => [name, Number(sums?.[name] ?? 0)]));
  return counts.read(rows as Parameters<typeof counts.read>[0]);
};

/** Ends the row of the hour before `at`, so that sums since `at` leave it out: it moves an hour back, to its own key. */
export const closeHour = async (tx: Tx, workspaceId: WorkspaceId, at: Millis): Promise<void> => {
  const hour = at - (at % HOUR);
  if (hour !== at) await updateRows(tx, outcomes, { workspaceId, hour }, { hour: at - HOUR });
};

/** By the hour, oldest first: hours without mail have no row. */
export const listOutcomes = (db: Db, workspaceId: WorkspaceId, since: Millis): Promise<Entity<typeof hours>[]> =>
  listRows(db, outcomes, { workspaceId, hour: atLeast(since) }, { order: { hour: 'asc' }, as: hours });

const insertFirst = preparedInsertNew(replyOutcomes);

/**
 * Whether this is the workspace's first bounce, or complaint, of a reply to that organisational domain on the UTC day of
 * `now`. Records it.
 */
export const isFirstOfReply = (
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: 'bounced' | 'complained',
  organisation: string,
  now: Millis,
): Promise<boolean> => insertFirst(tx, { workspaceId, day: startOfDay(now), kind, organisation });
