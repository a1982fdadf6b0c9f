/** Finds the agents of a workspace that have exchanged mail with given addresses. */

import { sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';

interface Exchange {
  /** The agent's. */
  handle: string;
  address: Address;
}

const mailboxesOf = (db: Db, workspaceId: WorkspaceId) =>
  db
    .selectFrom('agents')
    .innerJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', sql.lit(0)),
    )
    .where('agents.workspace_id', '=', idToBytes(workspaceId))
    .where('agents.removed_at', 'is', null);

export const listWrittenTo = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  limit: number,
): Promise<(Exchange & { firstWrittenAt: Millis })[]> => {
  const rows = await mailboxesOf(db, workspaceId)
    .innerJoin('correspondents as c', 'c.mailbox_id', 'mailboxes.id')
    .select(['agents.handle', 'c.address', 'c.first_written_at'])
    .where('c.address', 'in', [...addresses])
    .limit(limit)
    .execute();
  return rows.map(({ handle, address, first_written_at: firstWrittenAt }) => ({ handle, address, firstWrittenAt }));
};

export const listHeardOf = async (
  db: Db,
  workspaceId: WorkspaceId,
  addresses: readonly Address[],
  limit: number,
): Promise<Exchange[]> =>
  mailboxesOf(db, workspaceId)
    .innerJoin('heard_from as h', 'h.mailbox_id', 'mailboxes.id')
    .select(['agents.handle', 'h.address'])
    .where('h.address', 'in', [...addresses])
    .limit(limit)
    .execute();
