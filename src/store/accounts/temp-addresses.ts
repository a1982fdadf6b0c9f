/** Disposable addresses: each a mailbox of its agent's that only receives, and ends. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, DomainId, MailboxId } from '../../kernel/ids.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface TempAddress {
  mailboxId: MailboxId;
  address: Address;
  label: string | null;
  createdAt: Millis;
  /** From then on it takes no mail. */
  expiresAt: Millis;
}

const select = (db: Db, agentId: AgentId) =>
  db
    .selectFrom('mailboxes')
    .innerJoin('addresses', 'addresses.mailbox_id', 'mailboxes.id')
    .select(['mailboxes.id', 'addresses.address', 'mailboxes.label', 'mailboxes.created_at', 'mailboxes.expires_at'])
    .where('mailboxes.agent_id', '=', toBlob(agentId))
    .where('mailboxes.receive_only', '=', 1);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): TempAddress => ({
  mailboxId: fromBlob(row.id),
  address: row.address as Address,
  label: row.label,
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? 0,
});

export const insertTempAddress = async (
  tx: Tx,
  { mailboxId, address, label, createdAt, expiresAt }: TempAddress,
  owner: { agentId: AgentId; domainId: DomainId },
): Promise<void> => {
  await tx.db
    .insertInto('mailboxes')
    .values({
      id: toBlob(mailboxId),
      agent_id: toBlob(owner.agentId),
      domain_id: toBlob(owner.domainId),
      status: 'active',
      receive_only: 1,
      expires_at: expiresAt,
      created_at: createdAt,
      label,
    })
    .execute();
  await tx.db
    .insertInto('addresses')
    .values({ address, mailbox_id: toBlob(mailboxId), is_primary: 1 })
    .execute();
};

/** The agent's addresses that have not expired, newest first. */
export const listLiveTempAddresses = async (db: Db, agentId: AgentId, now: Millis): Promise<TempAddress[]> => {
  const rows = await select(db, agentId)
    .where('mailboxes.expires_at', '>', now)
    .orderBy('mailboxes.created_at', 'desc')
    .orderBy('mailboxes.id', 'desc')
    .execute();
  return rows.map(fromRow);
};

/** The agent's address of that name; null where it has none, or one that has expired. */
export const findLiveTempAddress = async (
  db: Db,
  agentId: AgentId,
  address: Address,
  now: Millis,
): Promise<TempAddress | null> => {
  const row = await select(db, agentId)
    .where('addresses.address', '=', address)
    .where('mailboxes.expires_at', '>', now)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

export const expireTempAddress = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<void> => {
  await tx.db.updateTable('mailboxes').set({ expires_at: now }).where('id', '=', toBlob(mailboxId)).execute();
};

/** Mailboxes that expired before a time, the longest ago first. */
export const listExpiredMailboxes = async (db: Db, before: Millis, limit: number): Promise<MailboxId[]> => {
  const rows = await db
    .selectFrom('mailboxes')
    .select('id')
    .where('expires_at', '<', before)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => fromBlob(id));
};

/** Takes a mailbox that holds no mail any more, and all that was known of it. Its address is nobody's from then on. */
export const deleteEmptyMailbox = async (tx: Tx, mailboxId: MailboxId): Promise<void> => {
  const id = toBlob(mailboxId);
  await tx.db.deleteFrom('threads').where('mailbox_id', '=', id).execute();
  await tx.db.deleteFrom('correspondents').where('mailbox_id', '=', id).execute();
  await tx.db.deleteFrom('heard_from').where('mailbox_id', '=', id).execute();
  await tx.db.deleteFrom('doubted_senders').where('mailbox_id', '=', id).execute();
  await tx.db.deleteFrom('addresses').where('mailbox_id', '=', id).execute();
  await tx.db.deleteFrom('mailboxes').where('id', '=', id).execute();
};
