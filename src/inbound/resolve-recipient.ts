/** Resolves a RCPT address to a mailbox, return path or role, or refuses it. */

import { type Address, type DomainName, domainOf, localPartOf } from '../kernel/address.ts';
import { type Clock, DAY } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { AgentId, DeliveryId } from '../kernel/ids.ts';
import { isReturnPath, readReturnPath } from '../mail/dsn/return-path.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import { findDomain } from '../store/accounts/domains.ts';
import {
  findRecipient,
  findRecipientByMailbox,
  findReturnPathDomain,
  isOwnDomain,
  type Recipient,
} from '../store/accounts/recipient-lookup.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import { findMessage } from '../store/mail/messages.ts';
import { findNoticeAddress } from '../store/owners/own-addresses.ts';
import { findDelivery } from '../store/sending/deliveries.ts';
import type { Db } from '../store/store.ts';
import type { ResolvedRecipient } from './arrival.ts';
import { mailboxFull } from './mail-quota.ts';
import { takesNoMail } from './report-recipients.ts';

/**
 * postmaster: RFC 5321 section 4.5.1; abuse: RFC 2142 section 4; fbl: the address that feedback loops are registered
 * with.
 */
const ROLES = new Set(['postmaster', 'abuse', 'fbl']);
/**
 * Of the host and the base domain: hostmaster stands in the zone's SOA (RFC 2142 section 7), mailer-daemon is the author of
 * DSNs and may be replied to.
 */
const OPERATOR_ROLES = new Set([...ROLES, 'hostmaster', 'mailer-daemon']);
/** Lifetime of a return path; other hosts' queues give up within days. */
const RETURN_PATH_VALID_MS = 30 * DAY;

export interface ResolveRecipientNeeds {
  db: Db;
  clock: Clock;
  returnPathKey: Buffer;
  /** This instance's host name, A-labels in lower case. */
  hostname: string;
  baseDomain: DomainName;
  /** The instance's own agent, with the mailbox for role mail; null where the vault's key is missing. */
  system: AgentId | null;
  /** The agent for the operator's mail; null where there is none. */
  operatorMail: AgentId | null;
  /** Mail to the operator is passed on to it; null: it is not passed on. */
  operatorAddress: Address | null;
  /** False where its workspace keeps as much mail as its plan includes. */
  hasRoom: (recipient: Recipient) => Promise<boolean>;
}

export type ResolveRecipient = (address: Address) => Promise<ResolvedRecipient>;

const noSuchMailbox = () => new SmtpError({ code: 550, enhanced: '5.1.1', text: 'No such mailbox here' });

/** @throws SmtpError with the reply to RCPT */
export const createResolveRecipient =
  (needs: ResolveRecipientNeeds): ResolveRecipient =>
  async (address) => {
    const { db, clock, hostname, baseDomain, system, operatorMail, operatorAddress } = needs;
    const localPart = localPartOf(address).toLowerCase();
    if (isReturnPath(localPart)) return findReturnPath(needs, address);
    const isHost = domainOf(address) === hostname;
    const isOperators = isHost || domainOf(address) === baseDomain;
    if (isOperators && OPERATOR_ROLES.has(localPart) && operatorMail) {
      const role = await systemMailbox(db, address, operatorMail, operatorAddress);
      if (role) return { ...role, takesReports: true };
    }
    if (ROLES.has(localPart) && system) {
      const role = await findRole(db, address, system, baseDomain);
      if (role) return role;
    }
    const recipient = await findRecipient(db, address);
    if (!recipient) {
      if (isHost || (await isOwnDomain(db, domainOf(address)))) throw noSuchMailbox();
      throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'We do not relay mail for this domain' });
    }
    const expired = recipient.expiresAt !== null && recipient.expiresAt <= clock.now();
    if (expired || recipient.status !== 'active') throw takesNoMail();
    // The state of an agent is that of its mailbox; a disposable inbox has one of its own.
    if (recipient.expiresAt !== null && (await findAgentById(db, recipient.agentId))?.status !== 'active') {
      throw takesNoMail();
    }
    if (!(await needs.hasRoom(recipient))) throw mailboxFull();
    return { kind: 'mailbox', recipient };
  };

/** Null where the domain is not local, or of a removed workspace. A failing one receives, as its mailboxes do. */
const findRole = async (
  db: Db,
  address: Address,
  system: AgentId,
  baseDomain: string,
): Promise<ResolvedRecipient | null> => {
  const domain = await findDomain(db, domainOf(address));
  if (!domain || (domain.kind === 'custom' && domain.status === 'pending')) return null;
  const workspace = domain.workspaceId && (await findWorkspaceById(db, domain.workspaceId));
  if (workspace && workspace.removedAt !== null) return null;
  return systemMailbox(db, address, system, workspace && (await findNoticeAddress(db, workspace, baseDomain)));
};

/** Null where the instance has no mailbox of its own. */
const systemMailbox = async (
  db: Db,
  address: Address,
  system: AgentId,
  ownerEmail: string | null,
): Promise<(ResolvedRecipient & { kind: 'role' }) | null> => {
  const agent = await findAgentById(db, system);
  const recipient = agent && (await findRecipientByMailbox(db, agent.mailboxId));
  return recipient && { kind: 'role', recipient, address, ownerEmail };
};

const findReturnPath = async (
  { db, clock, returnPathKey, baseDomain, hasRoom }: ResolveRecipientNeeds,
  address: Address,
): Promise<ResolvedRecipient> => {
  const token = readReturnPath(returnPathKey, address);
  const delivery = token && (await findDelivery(db, token.deliveryId as DeliveryId));
  const sent = delivery && (await findMessage(db, delivery.mailboxId, delivery.messageId));
  const recipient = sent && (await findRecipientByMailbox(db, sent.mailboxId));
  if (!recipient) throw noSuchMailbox();
  // Valid only at the domain of the message's envelope sender: its author's, or the base domain for one that sends alone.
  const author = domainOf(sent.from.address);
  const domains = [author, await findReturnPathDomain(db, author, baseDomain)];
  if (!domains.includes(domainOf(address))) throw noSuchMailbox();
  if ((delivery.lastAttemptAt ?? delivery.createdAt) + RETURN_PATH_VALID_MS <= clock.now()) throw noSuchMailbox();
  return { kind: 'return-path', recipient, deliveryId: delivery.id, isFull: !(await hasRoom(recipient)) };
};
