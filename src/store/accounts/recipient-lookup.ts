/** The mailbox that receives at an address: for RCPT and the identity filter. */

import { sql } from 'kysely';
import { type Address, addressKey, type DomainName, domainOf, withoutTag } from '../../kernel/address.ts';
import { type AgentId, idFromBytes, idToBytes, type MailboxId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { listValues } from '../rows.ts';
import type { Db } from '../store.ts';
import { addresses, agents, mailboxes, workspaces } from './accounts-mappings.ts';
import { findLiveDomain } from './domains.ts';

const address = addresses.pick('address', 'mailboxId');
const mailbox = mailboxes.pick('status', 'expiresAt');
const agent = agents.pick('workspaceId', 'filterMode');
const workspace = workspaces.pick('plan', 'mailBytes', 'mailBytesDay', 'fullToldDay');

/** `address` is the mailbox's, without a plus-tag. */
export type Recipient = Entity<typeof address> &
  Entity<typeof mailbox> &
  Entity<typeof agent> &
  Entity<typeof workspace> & { agentId: AgentId };

const select = (db: Db) =>
  db
    .selectFrom('addresses')
    .innerJoin('mailboxes', 'mailboxes.id', 'addresses.mailbox_id')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .innerJoin('workspaces', 'workspaces.id', 'agents.workspace_id')
    .select(address.qualifiedNames)
    .select(mailbox.qualifiedNames)
    .select(agent.qualifiedNames)
    .select(workspace.qualifiedNames)
    .select('agents.id as agent_id')
    .where('agents.removed_at', 'is', null);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const fromRow = (row: Row): Recipient => ({
  ...address.read(row),
  ...mailbox.read(row),
  ...agent.read(row),
  ...workspace.read(row),
  agentId: idFromBytes(row.agent_id),
});

/** Addresses of a custom domain that is not verified take no mail: the workspace has not proved that the domain is its own. */
const byAddress = preparedSelect((db, value: { address: Address }) =>
  select(db)
    .innerJoin('domains', 'domains.id', 'mailboxes.domain_id')
    .where('addresses.address', '=', value.address)
    .where((eb) =>
      eb.or([eb('domains.kind', '!=', sql.lit('custom')), eb('domains.status', '!=', sql.lit('pending'))]),
    ),
);

export const findRecipient = async (db: Db, name: Address): Promise<Recipient | null> => {
  const [row] = await byAddress(db, { address: withoutTag(addressKey(name)) });
  return row ? fromRow(row) : null;
};

export const findRecipientByMailbox = async (db: Db, mailboxId: MailboxId): Promise<Recipient | null> => {
  const row = await select(db)
    .where('addresses.mailbox_id', '=', idToBytes(mailboxId))
    .where('addresses.is_primary', '=', 1)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** Every address that reaches a mailbox, in the form addresses are compared in. */
export const listAddresses = (db: Db, mailboxId: MailboxId): Promise<Address[]> =>
  listValues(db, addresses, 'address', { mailboxId });

const ownByName = preparedSelect((db, { name }: { name: string }) =>
  db
    .selectFrom('domains')
    .select('receives')
    .where('name', '=', name as DomainName)
    .where((eb) => eb.or([eb('kind', '!=', sql.lit('custom')), eb('status', '=', sql.lit('verified'))])),
);

/**
 * Whether the instance receives for a domain: its own, or a verified one. A pending or failing claim proves no
 * ownership and diverts no mail; a domain that only sends has its mail elsewhere.
 */
export const isOwnDomain = async (db: Db, name: string): Promise<boolean> =>
  (await ownByName(db, { name })).some(({ receives }) => receives === 1);

/**
 * Whether mail to an address is delivered locally; at a domain that only sends, where a mailbox here has the address.
 */
export const isDeliveredHere = async (db: Db, name: Address): Promise<boolean> => {
  const own = await ownByName(db, { name: domainOf(name) });
  if (own.length === 0) return false;
  return own.some(({ receives }) => receives === 1) || (await findRecipient(db, name)) !== null;
};

/** The domain of the return path of mail from a domain: its own, unless another server receives its bounces. */
export const findReturnPathDomain = async (db: Db, sender: DomainName, baseDomain: DomainName): Promise<DomainName> => {
  const own = await ownByName(db, { name: sender });
  return own.length > 0 && own.every(({ receives }) => receives === 0) ? baseDomain : sender;
};

/** As {@link isOwnDomain}, false for the subdomain of a removed workspace. */
export const isLiveOwnDomain = async (db: Db, name: string): Promise<boolean> => {
  const found = await findLiveDomain(db, name);
  return found !== null && (found.kind !== 'custom' || (found.status === 'verified' && found.receives));
};
