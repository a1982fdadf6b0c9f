/** RCPT: what an address of ours stands for, or why mail to it is refused. */

import { type Address, domainOf, localPartOf } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { AgentId, DeliveryId } from '../kernel/ids.ts';
import { isReturnPath, readReturnPath } from '../mail/return-path.ts';
import { findAgentById } from '../store/agents.ts';
import { findDelivery } from '../store/deliveries.ts';
import { findDomain } from '../store/domains.ts';
import { findMessage } from '../store/messages.ts';
import { findRecipient, findRecipientByMailbox, isOwnDomain } from '../store/recipients.ts';
import type { Db } from '../store/store.ts';
import { findWorkspaceById } from '../store/workspaces.ts';
import type { Destination } from './arrival.ts';

/** RFC 5321 section 4.5.1 asks for postmaster, RFC 2142 section 4 for abuse; feedback loops are registered with an address. */
const ROLES = new Set(['postmaster', 'abuse', 'fbl']);

export interface DestinationNeeds {
  db: Db;
  clock: Clock;
  returnPathKey: Buffer;
  /** The box's own sender, whose mailbox keeps role mail; null where the vault's key is missing. */
  system: AgentId | null;
}

export type FindDestination = (address: Address) => Promise<Destination>;

const noSuchMailbox = () => new SmtpError({ code: 550, enhanced: '5.1.1', text: 'No such mailbox here' });

/** @throws SmtpError with the reply that RCPT gets */
export const createFindDestination =
  ({ db, clock, returnPathKey, system }: DestinationNeeds): FindDestination =>
  async (address) => {
    const localPart = localPartOf(address).toLowerCase();
    if (isReturnPath(localPart)) return findReturnPath(db, returnPathKey, address);
    if (ROLES.has(localPart) && system) {
      const role = await findRole(db, address, system);
      if (role) return role;
    }
    const recipient = await findRecipient(db, address);
    if (!recipient) {
      if (await isOwnDomain(db, domainOf(address))) throw noSuchMailbox();
      throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'We do not relay mail for this domain' });
    }
    const expired = recipient.expiresAt !== null && recipient.expiresAt <= clock.now();
    if (expired || recipient.status !== 'active') {
      throw new SmtpError({ code: 550, enhanced: '5.2.1', text: 'This mailbox takes no mail' });
    }
    return { kind: 'mailbox', recipient };
  };

/** Whoever runs the domain; null where it is not ours. */
const findRole = async (db: Db, address: Address, system: AgentId): Promise<Destination | null> => {
  const domain = await findDomain(db, domainOf(address));
  if (!domain || (domain.kind === 'custom' && domain.status !== 'verified')) return null;
  const agent = await findAgentById(db, system);
  const recipient = agent && (await findRecipientByMailbox(db, agent.mailboxId));
  const workspace = domain.workspaceId && (await findWorkspaceById(db, domain.workspaceId));
  return recipient && { kind: 'role', recipient, address, ownerEmail: workspace?.ownerEmail ?? null };
};

const findReturnPath = async (db: Db, key: Buffer, address: Address): Promise<Destination> => {
  const token = readReturnPath(key, address);
  const delivery = token && (await findDelivery(db, token.deliveryId as DeliveryId));
  const sent = delivery && (await findMessage(db, delivery.mailboxId, delivery.messageId));
  const recipient = sent && (await findRecipientByMailbox(db, sent.mailboxId));
  // Only at the domain that the mail was sent from: no other stood in its envelope.
  if (!recipient || domainOf(sent.from.address) !== domainOf(address)) throw noSuchMailbox();
  return { kind: 'return-path', recipient, deliveryId: delivery.id };
};
