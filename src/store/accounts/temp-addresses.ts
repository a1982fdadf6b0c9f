/** Disposable addresses: receive-only mailboxes of an agent, which expire. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, type DomainId, idToBytes, type MailboxId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { below, listValues, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { addresses, mailboxes } from './accounts-mappings.ts';
import { insertAddress, insertMailbox } from './agents.ts';

const address = addresses.pick('address', 'mailboxId');
const mailbox = mailboxes.pick('label', 'createdAt', 'expiresAt');

/** From `expiresAt` on it takes no mail. */
export type TempAddress = Entity<typeof address> & Entity<typeof mailbox> & { expiresAt: Millis };

const select = (db: Db, agentId: AgentId) =>
  db
    .selectFrom('mailboxes')
    .innerJoin('addresses', 'addresses.mailbox_id', 'mailboxes.id')
    .select(mailbox.qualifiedNames)
    .select(address.qualifiedNames)
    .where('mailboxes.agent_id', '=', idToBytes(agentId))
    .where('mailboxes.receive_only', '=', 1);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): TempAddress => ({
  ...address.read(row),
  ...mailbox.read(row),
  expiresAt: row.expires_at ?? 0,
});

export const insertTempAddress = async (
  tx: Tx,
  { address: name, mailboxId, label, createdAt, expiresAt }: TempAddress,
  owner: { agentId: AgentId; domainId: DomainId },
): Promise<void> => {
  await insertMailbox(tx, {
    ...owner,
    id: mailboxId,
    status: 'active',
    receiveOnly: true,
    label,
    createdAt,
    expiresAt,
  });
  await insertAddress(tx, { address: name, mailboxId, isPrimary: true });
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

/** The agent's address of that name; null without one, or once it has expired. */
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

export const expireTempAddress = (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<void> =>
  updateRows(tx, mailboxes, { id: mailboxId }, { expiresAt: now });

/** Mailboxes that expired before a time, the longest ago first. */
export const listExpiredMailboxes = (db: Db, before: Millis, limit: number): Promise<MailboxId[]> =>
  listValues(db, mailboxes, 'id', { expiresAt: below(before) }, { order: { expiresAt: 'asc' }, limit });
