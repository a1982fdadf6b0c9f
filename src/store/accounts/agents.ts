/** Agents: identities with one mailbox each; the address is the handle on a domain of the instance. */

import { sql } from 'kysely';
import { type Address, domainOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { idFromBytes, idFromHex, idToBytes, parseId } from '../../kernel/ids.ts';
import { type Entity, hexOf } from '../mapping.ts';
import { preparedInsert, preparedInsertNew } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { countRows, findRow, listRows, notNull, updateRows, within } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { addresses, agents, mailboxes } from './accounts-mappings.ts';

const identity = agents.omit('removedAt', 'cleanupAt');
const mailbox = mailboxes.pick('domainId', 'status');
const primary = addresses.pick('address');

export type Agent = Entity<typeof identity> &
  Entity<typeof mailbox> &
  Entity<typeof primary> & { mailboxId: MailboxId };

const select = (db: Db) =>
  db
    .selectFrom('agents')
    .innerJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', sql.lit(0)),
    )
    .innerJoin('addresses', (join) =>
      join.onRef('addresses.mailbox_id', '=', 'mailboxes.id').on('addresses.is_primary', '=', sql.lit(1)),
    )
    .where('agents.removed_at', 'is', null)
    .select(identity.toRead)
    .select(mailbox.toRead)
    .select(primary.toRead)
    .select((eb) => hexOf(eb.ref('mailboxes.id')).as('mailbox_id'));

/** A query for the ids of a workspace's agents, removed ones included, to stand within another query. */
export const agentsIn = (db: Db, workspaceId: WorkspaceId) =>
  db.selectFrom('agents').select('id').where('workspace_id', '=', idToBytes(workspaceId));

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): Agent => ({
  ...identity.read(row),
  ...mailbox.read(row),
  ...primary.read(row),
  mailboxId: idFromHex(row.mailbox_id),
});

const insertRow = preparedInsertNew(agents, (conflict) => conflict.column('handle').doNothing());
export const insertMailbox = preparedInsert(mailboxes.omit('cooldownUntil', 'nextColdAt'));
export const insertAddress = preparedInsert(addresses);

/** @returns false where another agent has the handle, or had it */
export const insertAgent = async (tx: Tx, agent: Agent): Promise<boolean> => {
  const { mailboxId, domainId, status, address, createdAt } = agent;
  if (!(await insertRow(tx, agent))) return false;
  await insertMailbox(tx, { id: mailboxId, agentId: agent.id, domainId, status, receiveOnly: false, createdAt });
  await insertAddress(tx, { address, mailboxId, isPrimary: true });
  return true;
};

/**
 * Whether an agent has `handle`, removed ones included, or a former address that still receives has it. Over all
 * domains.
 */
export const isHandleTaken = async (db: Db, handle: string): Promise<boolean> => {
  if (await findRow(db, agents, { handle })) return true;
  // Every address of that local part: "A" is the character after "@".
  const address = within(`${handle}@` as Address, `${handle}A` as Address);
  return (await findRow(db, addresses, { address })) !== null;
};

const byId = preparedSelect((db, { id }: { id: Uint8Array }) => select(db).where('agents.id', '=', id));
const byMailbox = preparedSelect((db, { id }: { id: Uint8Array }) => select(db).where('mailboxes.id', '=', id));

export const findAgentById = async (db: Db, id: AgentId): Promise<Agent | null> => {
  const [row] = await byId(db, { id: idToBytes(id) });
  return row ? fromRow(row) : null;
};

export const findAgentByMailbox = async (db: Db, id: MailboxId): Promise<Agent | null> => {
  const [row] = await byMailbox(db, { id: idToBytes(id) });
  return row ? fromRow(row) : null;
};

/** The agent that goes by `text`: a handle, an address or an id. */
export const findAgent = async (db: Db, text: string): Promise<Agent | null> => {
  const id = parseId<'agent'>(text);
  const lower = text.toLowerCase();
  const row = await select(db)
    .where((eb) =>
      eb.or([
        eb('agents.handle', '=', lower),
        eb('addresses.address', '=', lower as Address),
        ...(id ? [eb('agents.id', '=', idToBytes(id))] : []),
      ]),
    )
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** The agent that went by `text`, a handle or an address, until it was renamed; while the address receives. */
export const findRenamedAgent = async (db: Db, text: string): Promise<Agent | null> => {
  const lower = text.toLowerCase();
  const row = await db
    .selectFrom('addresses')
    .select('mailbox_id')
    .where('retires_at', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('address', '=', lower as Address),
        // Every address of that local part: "A" is the character after "@".
        eb.and([eb('address', '>=', `${lower}@` as Address), eb('address', '<', `${lower}A` as Address)]),
      ]),
    )
    .executeTakeFirst();
  return row ? findAgentByMailbox(db, idFromBytes(row.mailbox_id)) : null;
};

export interface FormerAddress {
  address: Address;
  /** When it ends to receive. */
  retiresAt: Millis;
}

/** A mailbox's addresses from before a rename that still receive, the newest first. */
export const listFormerAddresses = async (db: Db, mailboxId: MailboxId): Promise<FormerAddress[]> => {
  const former = await listRows(db, addresses, { mailboxId, retiresAt: notNull }, { order: { retiresAt: 'desc' } });
  return former.map(({ address, retiresAt }) => ({ address, retiresAt: retiresAt ?? 0 }));
};

/** A workspace's agents, or with null those of the instance; oldest first. */
export const listAgents = async (db: Db, workspaceId: WorkspaceId | null): Promise<Agent[]> => {
  let query = select(db).orderBy('agents.created_at').orderBy('agents.id');
  if (workspaceId) query = query.where('agents.workspace_id', '=', idToBytes(workspaceId));
  return (await query.execute()).map(fromRow);
};

/** An agent, and when the latest of its threads that were asked for ended; 0: it has none. */
type LatestAgent = Agent & { latestAt: Millis };

/** A workspace's agents, those with the latest mail first. @param upTo threads that ended later are left out */
export const listLatestAgents = async (
  db: Db,
  workspaceId: WorkspaceId,
  upTo: Millis = Number.MAX_SAFE_INTEGER,
): Promise<LatestAgent[]> => {
  const rows = await select(db)
    .where('agents.workspace_id', '=', idToBytes(workspaceId))
    .select((eb) =>
      eb
        .selectFrom('threads')
        .select('last_message_at')
        .whereRef('threads.mailbox_id', '=', 'mailboxes.id')
        .where('last_message_at', '<=', upTo)
        .orderBy('last_message_at', 'desc')
        .limit(sql.lit(1))
        .as('latest_at'),
    )
    .execute();
  return rows
    .map((row) => ({ ...fromRow(row), latestAt: row.latest_at ?? 0 }))
    .toSorted((one, other) => other.latestAt - one.latestAt);
};

/** At most so many of a workspace's agents, oldest first: where it has more, those with the latest mail. */
export const listUsedAgents = async (db: Db, workspaceId: WorkspaceId, most: number): Promise<Agent[]> =>
  (await listLatestAgents(db, workspaceId))
    .slice(0, most)
    .toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));

/** The handle of every agent that a workspace has or had. */
export const listHandles = async (db: Db, workspaceId: WorkspaceId): Promise<Map<AgentId, string>> => {
  const all = await listRows(db, agents, { workspaceId }, { as: agents.pick('id', 'handle') });
  return new Map(all.map(({ id, handle }) => [id, handle]));
};

/** The agents of a workspace, suspended ones included. */
export const countAgents = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, agents, { workspaceId, removedAt: null });

/** Whether `address` is one of the workspace's agents', under any of their names. */
export const isAddressInWorkspace = async (db: Db, workspaceId: WorkspaceId, address: Address): Promise<boolean> => {
  const row = await db
    .selectFrom('addresses')
    .innerJoin('mailboxes', 'mailboxes.id', 'addresses.mailbox_id')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select('agents.id')
    .where('addresses.address', '=', address)
    .where('agents.workspace_id', '=', idToBytes(workspaceId))
    .where('agents.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

export type AgentChange = Partial<Pick<Agent, 'displayName' | 'description' | 'filterMode' | 'hold' | 'guard'>>;

export const updateAgent = (tx: Tx, id: AgentId, change: AgentChange): Promise<void> =>
  updateRows(tx, agents, { id }, change);

const insertPrimary = preparedInsert(addresses, (conflict) =>
  conflict.column('address').doUpdateSet({ is_primary: 1, retires_at: null }),
);

/** Changes the agent's handle and with it its address. The old address stays the agent's and receives until `retiresAt`. */
export const renameAgent = async (tx: Tx, agent: Agent, handle: string, retiresAt: Millis): Promise<void> => {
  const address = `${handle}@${domainOf(agent.address)}` as Address;
  await updateRows(tx, agents, { id: agent.id }, { handle });
  await updateRows(tx, addresses, { mailboxId: agent.mailboxId, isPrimary: true }, { isPrimary: false, retiresAt });
  await insertPrimary(tx, { address, mailboxId: agent.mailboxId, isPrimary: true });
};

export const setMailboxStatus = (tx: Tx, id: MailboxId, status: Agent['status']): Promise<void> =>
  updateRows(tx, mailboxes, { id }, { status });

/** Removes an agent: its keys are invalid, its address takes no mail, its handle is never reused. What it leaves is due now. */
export const removeAgent = async (tx: Tx, id: AgentId, now: Millis): Promise<void> => {
  await updateRows(tx, agents, { id }, { removedAt: now, cleanupAt: now });
  tx.noteRevocation(idToBytes(id));
};

/** Reserves the time of a throttled mailbox's next cold mail; the one after it comes `gap` later. */
export const reserveColdSlot = async (tx: Tx, id: MailboxId, now: Millis, gap: Millis): Promise<Millis> => {
  const slot = Math.max(now, (await findRow(tx.db, mailboxes, { id }))?.nextColdAt ?? 0);
  await updateRows(tx, mailboxes, { id }, { nextColdAt: slot + gap });
  return slot;
};

/** The next cold mail of a workspace's mailboxes goes at once. */
export const freeColdSlots = async (tx: Tx, id: WorkspaceId): Promise<void> => {
  await tx.db.updateTable('mailboxes').set({ next_cold_at: 0 }).where('agent_id', 'in', agentsIn(tx.db, id)).execute();
};
