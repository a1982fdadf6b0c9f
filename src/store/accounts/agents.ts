/** Agents: identities with one mailbox each, whose address is their handle on a domain of ours. */

import { sql } from 'kysely';
import { type Address, domainOf } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, DomainId, MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { parseId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob, toFlag } from '../values.ts';

export interface Agent {
  id: AgentId;
  workspaceId: WorkspaceId;
  handle: string;
  displayName: string | null;
  description: string | null;
  filterMode: 'blacklist' | 'whitelist';
  /** Whether a person reviews all it sends. */
  hold: boolean;
  /** Whether a person reviews what it sends in answer to mail that did not authenticate (outbound/gate/hold.ts). */
  guard: boolean;
  mailboxId: MailboxId;
  domainId: DomainId;
  address: Address;
  status: 'active' | 'suspended';
  createdAt: Millis;
}

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
    .select([
      'agents.id',
      'agents.workspace_id',
      'agents.handle',
      'agents.display_name',
      'agents.description',
      'agents.filter_mode',
      'agents.hold',
      'agents.guard',
      'agents.created_at',
      'mailboxes.id as mailbox_id',
      'mailboxes.domain_id',
      'mailboxes.status',
      'addresses.address',
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): Agent => ({
  id: fromBlob(row.id),
  workspaceId: fromBlob(row.workspace_id),
  handle: row.handle,
  displayName: row.display_name,
  description: row.description,
  filterMode: row.filter_mode,
  hold: row.hold === 1,
  guard: row.guard === 1,
  mailboxId: fromBlob(row.mailbox_id),
  domainId: fromBlob(row.domain_id),
  address: row.address as Address,
  status: row.status,
  createdAt: row.created_at,
});

export const insertAgent = async (tx: Tx, agent: Agent): Promise<void> => {
  await tx.db
    .insertInto('agents')
    .values({
      id: toBlob(agent.id),
      workspace_id: toBlob(agent.workspaceId),
      handle: agent.handle,
      display_name: agent.displayName,
      description: agent.description,
      filter_mode: agent.filterMode,
      hold: toFlag(agent.hold),
      guard: toFlag(agent.guard),
      created_at: agent.createdAt,
      removed_at: null,
    })
    .execute();
  await tx.db
    .insertInto('mailboxes')
    .values({
      id: toBlob(agent.mailboxId),
      agent_id: toBlob(agent.id),
      domain_id: toBlob(agent.domainId),
      status: agent.status,
      receive_only: 0,
      expires_at: null,
      created_at: agent.createdAt,
      label: null,
    })
    .execute();
  await tx.db
    .insertInto('addresses')
    .values({ address: agent.address, mailbox_id: toBlob(agent.mailboxId), is_primary: 1 })
    .execute();
};

/** Whether `handle` is or ever was some agent's, over all domains. */
export const isHandleTaken = async (db: Db, handle: string): Promise<boolean> => {
  const agent = await db.selectFrom('agents').select('id').where('handle', '=', handle).executeTakeFirst();
  if (agent) return true;
  // Every address of that local part: "A" is the character after "@".
  const address = await db
    .selectFrom('addresses')
    .select('address')
    .where('address', '>=', `${handle}@`)
    .where('address', '<', `${handle}A`)
    .executeTakeFirst();
  return address !== undefined;
};

const byId = preparedSelect((db, id: Uint8Array) => select(db).where('agents.id', '=', id));
const byMailbox = preparedSelect((db, id: Uint8Array) => select(db).where('mailboxes.id', '=', id));

export const findAgentById = async (db: Db, id: AgentId): Promise<Agent | null> => {
  const [row] = await byId(db, toBlob(id));
  return row ? fromRow(row) : null;
};

export const findAgentByMailbox = async (db: Db, id: MailboxId): Promise<Agent | null> => {
  const [row] = await byMailbox(db, toBlob(id));
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
        eb('addresses.address', '=', lower),
        ...(id ? [eb('agents.id', '=', toBlob(id))] : []),
      ]),
    )
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** A workspace's agents, or with null every agent of the box; oldest first. */
export const listAgents = async (db: Db, workspaceId: WorkspaceId | null): Promise<Agent[]> => {
  let query = select(db).orderBy('agents.created_at').orderBy('agents.id');
  if (workspaceId) query = query.where('agents.workspace_id', '=', toBlob(workspaceId));
  return (await query.execute()).map(fromRow);
};

/** Every address of the workspace's agents: an identity recognises its colleagues. */
export const isAddressInWorkspace = async (db: Db, workspaceId: WorkspaceId, address: Address): Promise<boolean> => {
  const row = await db
    .selectFrom('addresses')
    .innerJoin('mailboxes', 'mailboxes.id', 'addresses.mailbox_id')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select('agents.id')
    .where('addresses.address', '=', address)
    .where('agents.workspace_id', '=', toBlob(workspaceId))
    .where('agents.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

export type AgentChange = Partial<Pick<Agent, 'displayName' | 'description' | 'filterMode' | 'hold' | 'guard'>>;

export const updateAgent = async (tx: Tx, id: AgentId, change: AgentChange): Promise<void> => {
  const set = {
    ...(change.displayName !== undefined && { display_name: change.displayName }),
    ...(change.description !== undefined && { description: change.description }),
    ...(change.filterMode !== undefined && { filter_mode: change.filterMode }),
    ...(change.hold !== undefined && { hold: toFlag(change.hold) }),
    ...(change.guard !== undefined && { guard: toFlag(change.guard) }),
  };
  if (Object.keys(set).length === 0) return;
  await tx.db.updateTable('agents').set(set).where('id', '=', toBlob(id)).execute();
};

/** Gives the agent a new handle and with it a new address. The old address stays its own and goes on receiving. */
export const renameAgent = async (tx: Tx, agent: Agent, handle: string): Promise<void> => {
  const address = `${handle}@${domainOf(agent.address)}`;
  const mailboxId = toBlob(agent.mailboxId);
  await tx.db.updateTable('agents').set({ handle }).where('id', '=', toBlob(agent.id)).execute();
  await tx.db.updateTable('addresses').set({ is_primary: 0 }).where('mailbox_id', '=', mailboxId).execute();
  await tx.db
    .insertInto('addresses')
    .values({ address, mailbox_id: mailboxId, is_primary: 1 })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ is_primary: 1 }))
    .execute();
};

export const setMailboxStatus = async (tx: Tx, id: MailboxId, status: Agent['status']): Promise<void> => {
  await tx.db.updateTable('mailboxes').set({ status }).where('id', '=', toBlob(id)).execute();
};

/** Ends an agent: its keys are dead, its address takes no mail, its handle is never given again. Its mail is kept. */
export const removeAgent = async (tx: Tx, id: AgentId, now: Millis): Promise<void> => {
  await tx.db.updateTable('agents').set({ removed_at: now }).where('id', '=', toBlob(id)).execute();
};

/** When a throttled mailbox's next cold mail may leave; the one after it, a `gap` later. */
export const takeColdSlot = async (tx: Tx, id: MailboxId, now: Millis, gap: Millis): Promise<Millis> => {
  const row = await tx.db
    .selectFrom('mailboxes')
    .select('next_cold_at')
    .where('id', '=', toBlob(id))
    .executeTakeFirst();
  const slot = Math.max(now, row?.next_cold_at ?? 0);
  await tx.db
    .updateTable('mailboxes')
    .set({ next_cold_at: slot + gap })
    .where('id', '=', toBlob(id))
    .execute();
  return slot;
};
