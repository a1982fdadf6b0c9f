/** Who receives at an address of ours: what RCPT and the identity filter ask. */

import { sql } from 'kysely';
import { type Address, addressKey, withoutTag } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface Recipient {
  mailboxId: MailboxId;
  agentId: AgentId;
  workspaceId: WorkspaceId;
  /** The mailbox's address, without a plus-tag. */
  address: Address;
  status: 'active' | 'suspended';
  expiresAt: Millis | null;
  filterMode: 'blacklist' | 'whitelist';
}

const select = (db: Db) =>
  db
    .selectFrom('addresses')
    .innerJoin('mailboxes', 'mailboxes.id', 'addresses.mailbox_id')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select([
      'addresses.address',
      'mailboxes.id as mailbox_id',
      'mailboxes.status',
      'mailboxes.expires_at',
      'agents.id as agent_id',
      'agents.workspace_id',
      'agents.filter_mode',
    ])
    .where('agents.removed_at', 'is', null);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): Recipient => ({
  mailboxId: fromBlob(row.mailbox_id),
  agentId: fromBlob(row.agent_id),
  workspaceId: fromBlob(row.workspace_id),
  address: row.address as Address,
  status: row.status,
  expiresAt: row.expires_at,
  filterMode: row.filter_mode,
});

const byAddress = preparedSelect((db, address: string) => select(db).where('addresses.address', '=', address));

export const findRecipient = async (db: Db, address: Address): Promise<Recipient | null> => {
  const [row] = await byAddress(db, withoutTag(addressKey(address)));
  return row ? fromRow(row) : null;
};

export const findRecipientByMailbox = async (db: Db, mailboxId: MailboxId): Promise<Recipient | null> => {
  const row = await select(db)
    .where('addresses.mailbox_id', '=', toBlob(mailboxId))
    .where('addresses.is_primary', '=', 1)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** Every address that reaches a mailbox, in the form addresses are compared in. */
export const listAddresses = async (db: Db, mailboxId: MailboxId): Promise<Address[]> => {
  const rows = await db.selectFrom('addresses').select('address').where('mailbox_id', '=', toBlob(mailboxId)).execute();
  return rows.map(({ address }) => address as Address);
};

/**
 * Whether a domain is ours for certain: the box's own, or one that was verified. That a workspace has a domain pending
 * says nothing of whose it is, and takes no other agent's mail to it off the wire.
 */
const ownByName = preparedSelect((db, name: string) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('kind', '!=', sql.lit('custom')), eb('status', '=', sql.lit('verified'))])),
);

export const isOwnDomain = async (db: Db, domain: string): Promise<boolean> => {
  return (await ownByName(db, domain)).length > 0;
};
