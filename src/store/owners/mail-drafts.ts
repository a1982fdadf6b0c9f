/** Drafts of owners, who write in the name of agents, and their files. Only its owner reads a draft. */

import { sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { AgentId, DraftFileId, DraftId, MessageId, WorkspaceId } from '../../kernel/ids.ts';
import { idToBytes } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { countRows, deleteAndCount, deleteRows, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { draftFiles, mailDrafts } from './owners-mappings.ts';

export type MailDraft = Entity<typeof mailDrafts>;
const draftHead = mailDrafts.omit('body');
/** A draft without its text. */
export type DraftHead = Entity<typeof draftHead>;
export type DraftFile = Entity<typeof draftFiles>;
const fileHead = draftFiles.omit('content');
/** A file without its bytes. */
export type DraftFileHead = Entity<typeof fileHead>;

/** An owner in a workspace. */
export interface DraftOwner {
  workspaceId: WorkspaceId;
  owner: Address;
}

export const countDrafts = (db: Db, { workspaceId, owner }: DraftOwner): Promise<number> =>
  countRows(db, mailDrafts, { workspaceId, owner });

/** The latest first, with the beginnings of their texts alone; their limit bounds the list. */
export const listDrafts = async (
  db: Db,
  { workspaceId, owner }: DraftOwner,
  chars: number,
): Promise<(DraftHead & { snippet: string })[]> => {
  const rows = await db
    .selectFrom('mail_drafts')
    .select(draftHead.toRead)
    .select(sql<string>`substr(body, 1, ${sql.lit(chars)})`.as('snippet'))
    .where('workspace_id', '=', idToBytes(workspaceId))
    .where('owner', '=', owner)
    .orderBy('updated_at', 'desc')
    .execute();
  return rows.map((row) => ({ ...draftHead.read(row), snippet: row.snippet }));
};

export const findDraft = (db: Db, { workspaceId, owner }: DraftOwner, id: DraftId): Promise<MailDraft | null> =>
  findRow(db, mailDrafts, { workspaceId, owner, id });

export const findDraftAbout = (
  db: Db,
  { workspaceId, owner }: DraftOwner,
  { agentId, kind, messageId }: Pick<MailDraft, 'agentId' | 'kind'> & { messageId: MessageId },
): Promise<MailDraft | null> => {
  const about = { workspaceId, owner, agentId, kind, messageId };
  return findRow(db, mailDrafts, about, { order: { updatedAt: 'desc' } });
};

export const insertDraft = preparedInsert(mailDrafts);

type Written = Pick<MailDraft, 'agentId' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'updatedAt'>;

export const updateDraft = (tx: Tx, id: DraftId, written: Written): Promise<void> =>
  updateRows(tx, mailDrafts, { id }, written);

/** Its files go with it. @returns false where it was deleted before */
export const deleteDraft = async (tx: Tx, id: DraftId): Promise<boolean> =>
  (await deleteAndCount(tx, mailDrafts, { id })) > 0;

export const deleteDraftsOfAgent = (tx: Tx, agentId: AgentId): Promise<void> => deleteRows(tx, mailDrafts, { agentId });

export const deleteDraftsOfOwner = (tx: Tx, { workspaceId, owner }: DraftOwner): Promise<void> =>
  deleteRows(tx, mailDrafts, { workspaceId, owner });

/** As they were attached. */
export const listDraftFiles = (db: Db, draftId: DraftId): Promise<DraftFileHead[]> =>
  listRows(db, draftFiles, { draftId }, { order: { id: 'asc' }, as: fileHead });

/** With their bytes: 10 MiB at most. */
export const readDraftFiles = (db: Db, draftId: DraftId): Promise<DraftFile[]> =>
  listRows(db, draftFiles, { draftId }, { order: { id: 'asc' } });

/** Octets of the files of all drafts of an owner. */
export const sumDraftFiles = async (db: Db, { workspaceId, owner }: DraftOwner): Promise<number> => {
  const { octets } = await db
    .selectFrom('draft_files')
    .innerJoin('mail_drafts', 'mail_drafts.id', 'draft_files.draft_id')
    .select((eb) => eb.fn.sum<number | null>('draft_files.size').as('octets'))
    .where('mail_drafts.workspace_id', '=', idToBytes(workspaceId))
    .where('mail_drafts.owner', '=', owner)
    .executeTakeFirstOrThrow();
  return Number(octets ?? 0);
};

export const insertDraftFile = preparedInsert(draftFiles);

/** @returns false where it is no file of the draft */
export const deleteDraftFile = async (tx: Tx, draftId: DraftId, id: DraftFileId): Promise<boolean> =>
  (await deleteAndCount(tx, draftFiles, { id, draftId })) > 0;
