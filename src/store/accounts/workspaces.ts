/** Workspaces: they share agents, domains and contacts, and have one sending state. */

import type { OperandValueExpression } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idToBytes, type MailboxId, parseId, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsertNew } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { findRow, listRows, literal, updateAndCount, updateRows } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { type SendingState, workspaces } from './accounts-mappings.ts';

export type Workspace = Entity<typeof workspaces>;

const created = workspaces.omit(
  'spendCapUsd',
  'sendingState',
  'sendingStateReason',
  'ratesFrom',
  'claimedAt',
  'removedAt',
  'purgedAt',
  'mailBytes',
  'mailBytesDay',
  'fullToldDay',
);
const insert = preparedInsertNew(created, (conflict) => conflict.column('slug').doNothing());

type Created = Entity<typeof created>;

export type NewWorkspaceRow = Omit<Created, 'sendingStateAt' | 'claimHash'> & Partial<Pick<Created, 'claimHash'>>;

/** Whether the gate lets its agents send at all: its owner's address is verified, and it is not paused. */
export const maySend = ({ verifiedAt, sendingState }: Pick<Workspace, 'verifiedAt' | 'sendingState'>): boolean =>
  verifiedAt !== null && sendingState !== 'paused';

/** @returns false where another workspace has its slug */
export const insertWorkspace = (tx: Tx, workspace: NewWorkspaceRow): Promise<boolean> =>
  insert(tx, { ...workspace, sendingStateAt: workspace.createdAt });

export const isSlugTaken = async (db: Db, slug: string): Promise<boolean> =>
  (await findRow(db, workspaces, { slug })) !== null;

/** Null where it was removed. */
export const findLiveWorkspace = (db: Db, id: WorkspaceId): Promise<Workspace | null> =>
  findRow(db, workspaces, { id, removedAt: null });

const selectOf = (db: Db, agentId: OperandValueExpression<Schema, 'agents', 'agents.id'>) =>
  db
    .selectFrom('workspaces')
    .select(workspaces.toRead)
    .where('id', '=', (eb) => eb.selectFrom('agents').select('workspace_id').where('agents.id', '=', agentId));

const ofAgent = preparedSelect((db, { id }: { id: Uint8Array }) => selectOf(db, id));

const ofMailbox = preparedSelect((db, { id }: { id: Uint8Array }) =>
  selectOf(db, db.selectFrom('mailboxes').select('agent_id').where('mailboxes.id', '=', id)),
);

/** Also a removed one. */
export const findWorkspaceOfAgent = async (db: Db, id: AgentId): Promise<Workspace | null> => {
  const [row] = await ofAgent(db, { id: idToBytes(id) });
  return row ? workspaces.read(row) : null;
};

/** Also a removed one. */
export const findWorkspaceOfMailbox = async (db: Db, id: MailboxId): Promise<Workspace | null> => {
  const [row] = await ofMailbox(db, { id: idToBytes(id) });
  return row ? workspaces.read(row) : null;
};

/** Also a removed one. */
export const findWorkspaceById = (db: Db, id: WorkspaceId): Promise<Workspace | null> =>
  findRow(db, workspaces, { id });

/** All workspaces with `text` as id, slug or name. More than one where names repeat. */
export const findWorkspaces = async (db: Db, text: string): Promise<Workspace[]> => {
  const id = parseId<'workspace'>(text);
  const rows = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('hidden', '=', 0)
    .where('removed_at', 'is', null)
    .where((eb) => eb.or([eb('slug', '=', text), eb('name', '=', text), ...(id ? [eb('id', '=', idToBytes(id))] : [])]))
    .execute();
  return rows.map(workspaces.read);
};

export const listWorkspaces = (db: Db): Promise<Workspace[]> =>
  listRows(db, workspaces, { hidden: false, removedAt: null }, { order: { createdAt: 'asc' } });

export const listThrottledWorkspaces = (db: Db): Promise<Workspace[]> =>
  listRows(db, workspaces, { sendingState: literal('throttled'), removedAt: null });

export const listProbationWorkspaces = (db: Db): Promise<Workspace[]> =>
  listRows(db, workspaces, { tier: 'probation', removedAt: null });

export const setSendingState = (
  tx: Tx,
  id: WorkspaceId,
  state: SendingState,
  reason: string | null,
  now: Millis,
): Promise<void> =>
  updateRows(tx, workspaces, { id }, { sendingState: state, sendingStateReason: reason, sendingStateAt: now });

/** Leaves outcomes before `at` out of the workspace's rates. */
export const resetRatesBefore = (tx: Tx, id: WorkspaceId, at: Millis): Promise<void> =>
  updateRows(tx, workspaces, { id }, { ratesFrom: at });

export const setPlan = (tx: Tx, id: WorkspaceId, plan: string, spendCapUsd: number | null): Promise<void> =>
  updateRows(tx, workspaces, { id }, { plan, spendCapUsd });

/** Marks the owner's address as verified. @returns false where it was before */
export const setVerified = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> =>
  (await updateAndCount(tx, workspaces, { id, verifiedAt: null }, { verifiedAt: now })) > 0;

/** Notices go to it. */
export const setOwnerEmail = (tx: Tx, id: WorkspaceId, ownerEmail: string): Promise<void> =>
  updateRows(tx, workspaces, { id }, { ownerEmail });

export const endProbation = (tx: Tx, id: WorkspaceId): Promise<void> =>
  updateRows(tx, workspaces, { id }, { tier: 'standard' });
