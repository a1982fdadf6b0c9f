/** Counts by UTC day: mail received and bounced by mailbox, and replies by receiving organisation. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId, type WorkspaceId } from '../../kernel/ids.ts';
import { startOfDay } from '../../kernel/utc-period.ts';
import type { Entity } from '../mapping.ts';
import { preparedAdd, preparedInsert } from '../prepared-insert.ts';
import { atLeast, countUpTo, listRows, not, plus, updateAndCount } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { hostDays, mailDays } from './sending-mappings.ts';

/** Organisations of a workspace, and kinds of reply of one, that a day counts separately. */
const MAX_ORGANISATIONS = 300;
const MAX_REPLIES = 8;
const MAX_SAID = 160;

const addDays = preparedAdd(mailDays);

export const addMailDay = async (
  tx: Tx,
  of: { workspaceId: WorkspaceId; mailboxId: MailboxId },
  now: Millis,
  { received = 0, bounced = 0, bytes = 0 },
): Promise<void> => {
  const day = { day: startOfDay(now), received, bounced, bytes };
  await addDays(tx, { scope: of.workspaceId, ...day }, { scope: of.mailboxId, ...day });
};

const counts = mailDays.omit('scope', 'bytes');
export type MailDay = Entity<typeof counts>;

export const listMailDays = (db: Db, scope: WorkspaceId | MailboxId, since: Millis): Promise<MailDay[]> =>
  listRows(db, mailDays, { scope, day: atLeast(startOfDay(since)) }, { as: counts });

const insertHost = preparedInsert(hostDays);

export interface HostReply {
  kind: 'delivered' | 'refused' | 'deferred';
  /** Set for a DSN after the host accepted the mail: its delivery is counted already. */
  isLate?: boolean;
  code: number | null;
  enhancedCode: string | null;
  response: string | null;
}

/** Organisations beyond the bound of a day are counted as '', and kinds of reply beyond theirs not at all. */
export const addHostReply = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  organisation: string,
  { kind, isLate = false, code, enhancedCode, response }: HostReply,
  now: Millis,
): Promise<void> => {
  const day = startOfDay(now);
  const counts = {
    ended: kind === 'deferred' || isLate ? 0 : 1,
    refused: kind === 'refused' ? 1 : 0,
    deferred: kind === 'deferred' ? 1 : 0,
  };
  const added = { ended: plus(counts.ended), refused: plus(counts.refused), deferred: plus(counts.deferred) };
  const add = async (name: string, reply: string, said: string | null): Promise<boolean> =>
    (await updateAndCount(tx, hostDays, { workspaceId, day, organisation: name, reply }, { ...added, said })) > 0;
  const insert = (name: string, reply: string, said: string | null) =>
    insertHost(tx, { workspaceId, day, organisation: name, reply, said, ...counts });

  let counted = organisation;
  if (!(await add(organisation, '', null))) {
    const hosts = await countUpTo(tx.db, hostDays, { workspaceId, day, reply: '' }, MAX_ORGANISATIONS);
    const hasRoom = hosts < MAX_ORGANISATIONS;
    counted = hasRoom ? organisation : '';
    if (hasRoom || !(await add('', '', null))) await insert(counted, '', null);
  }
  if (kind === 'delivered') return;
  const reply = [kind, code, enhancedCode].filter((each) => each !== null).join(' ');
  const said = response?.slice(0, MAX_SAID) ?? null;
  if (await add(counted, reply, said)) return;
  const ofHost = { workspaceId, day, organisation: counted, reply: not('') };
  if ((await countUpTo(tx.db, hostDays, ofHost, MAX_REPLIES)) < MAX_REPLIES) await insert(counted, reply, said);
};

export interface HostCounts {
  organisation: string;
  ended: number;
  refused: number;
  deferred: number;
}

/** Counts the days since by organisation, the most refused first. */
export const listHosts = async (
  db: Db,
  workspaceId: WorkspaceId,
  since: Millis,
  most: number,
): Promise<HostCounts[]> => {
  const rows = await db
    .selectFrom('host_days')
    .select(({ fn }) => [
      'organisation',
      fn.sum<number>('ended').as('ended'),
      fn.sum<number>('refused').as('refused'),
      fn.sum<number>('deferred').as('deferred'),
    ])
    .where('workspace_id', '=', idToBytes(workspaceId))
    .where('day', '>=', startOfDay(since))
    .where('reply', '=', '')
    .groupBy('organisation')
    .orderBy('refused', 'desc')
    .orderBy('ended', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ organisation, ...counts }) => ({
    organisation,
    ended: Number(counts.ended),
    refused: Number(counts.refused),
    deferred: Number(counts.deferred),
  }));
};

export interface ReplyCounts {
  reply: string;
  count: number;
  said: string | null;
}

/** What one of them answered, most often first. */
export const listHostReplies = async (
  db: Db,
  workspaceId: WorkspaceId,
  organisation: string,
  since: Millis,
  most: number,
): Promise<ReplyCounts[]> => {
  const rows = await db
    .selectFrom('host_days')
    .select((eb) => [
      'reply',
      eb.fn.sum<number>(eb('refused', '+', eb.ref('deferred'))).as('count'),
      eb.fn.max('said').as('said'),
    ])
    .where('workspace_id', '=', idToBytes(workspaceId))
    .where('day', '>=', startOfDay(since))
    .where('organisation', '=', organisation)
    .where('reply', '!=', '')
    .groupBy('reply')
    .orderBy('count', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ reply, count, said }) => ({ reply, count: Number(count), said }));
};
