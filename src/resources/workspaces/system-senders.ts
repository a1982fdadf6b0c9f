/** The instance's own senders: agents on the base domain, with mail through the same send gate. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { type BaseDomainNeeds, ensureBaseDomain } from '../../domains/base-domain.ts';
import { type Address, parseAddress } from '../../kernel/address.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { findAgent, findAgentById, insertAgent } from '../../store/accounts/agents.ts';
import { findDomain } from '../../store/accounts/domains.ts';
import { deleteMailBefore } from '../../store/accounts/mailbox-rows.ts';
import { insertWorkspace } from '../../store/accounts/workspaces.ts';
import type { Store } from '../../store/store.ts';

interface SystemSender {
  /** At the base domain, where only these agents have addresses. */
  handle: string;
  workspaceName: string;
  /** Begins with a hyphen, unlike any slug made from a name. */
  slug: string;
}

/** Sends notices to owners. */
export const NOTICES: SystemSender = { handle: 'noreply', workspaceName: 'Postroom', slug: '-postroom' };
/** Passes on mail to postmaster and abuse. A workspace of its own: its bounces do not suppress notices. */
export const ROLE_MAIL: SystemSender = { handle: 'role-mail', workspaceName: 'Postroom role mail', slug: '-role-mail' };
/** Keeps mail to postmaster, abuse and hostmaster of the host and of the base domain, for the operator alone. */
export const OPERATOR_MAIL: SystemSender = {
  // Reserved since the first version, so that no agent has it.
  handle: 'postmaster',
  workspaceName: 'Postroom operator',
  slug: '-operator',
};
/** Mails claim links to the address that a signup names. A workspace of its own: complaints about them suppress no notices. */
export const CLAIMS: SystemSender = { handle: 'no-reply', workspaceName: 'Postroom', slug: '-claims' };
/** Sends TLS reports (RFC 8460). A workspace of its own: their bounces do not pause notices. */
export const TLS_REPORTS: SystemSender = {
  handle: 'tls-reports',
  workspaceName: 'Postroom TLS reports',
  slug: '-tls-reports',
};

export const systemAddress = ({ handle }: SystemSender, baseDomain: string): Address => {
  const address = parseAddress(`${handle}@${baseDomain}`);
  if (!address) throw new Error(`${baseDomain} makes no address.`);
  return address;
};

/** Makes the base domain and the sender on it, once. @returns the sender's agent */
export const ensureSystemAgent = async (needs: BaseDomainNeeds, sender: SystemSender): Promise<AgentId> => {
  const { store, clock, newId, baseDomain } = needs;
  await ensureBaseDomain(needs);
  const address = systemAddress(sender, baseDomain);
  return store.write(async (tx) => {
    const known = await findAgent(tx.db, address);
    if (known) return known.id;
    const domain = await findDomain(tx.db, baseDomain);
    if (!domain) throw new Error('The base domain was not kept.');
    const now = clock.now();
    const workspaceId = newId<'workspace'>();
    await insertWorkspace(tx, {
      id: workspaceId,
      name: sender.workspaceName,
      slug: sender.slug,
      ownerEmail: address,
      plan: 'unlimited',
      verifiedAt: now,
      createdAt: now,
      hidden: true,
      tier: 'standard',
    });
    const id = newId<'agent'>();
    const isInserted = await insertAgent(tx, {
      id,
      workspaceId,
      handle: sender.handle,
      displayName: sender.workspaceName,
      description: null,
      filterMode: 'blacklist',
      hold: false,
      guard: false,
      mailboxId: newId<'mailbox'>(),
      domainId: domain.id,
      address,
      status: 'active',
      createdAt: now,
    });
    if (!isInserted) throw new Error(`The handle ${sender.handle} is another agent's.`);
    return id;
  });
};

/** A return path takes reports for 30 days after the last attempt; no person can delete this mail. */
const KEPT_MS = 92 * DAY;
/** Mails of one transaction, for which other writers wait; transactions of one call for each sender. */
const MAILS_AT_ONCE = 100;
const MAX_STEPS = 100;

/** Deletes old mail of the instance's own senders, a bounded part in one call. */
export const purgeSystemMail = async (store: Store, agentIds: readonly AgentId[], now: Millis): Promise<void> => {
  for (const id of agentIds) {
    const agent = await findAgentById(store.read, id);
    if (!agent) continue;
    const step = () => store.write((tx) => deleteMailBefore(tx, agent.mailboxId, now - KEPT_MS, MAILS_AT_ONCE));
    for (let at = 0; at < MAX_STEPS && (await step()) === MAILS_AT_ONCE; at += 1) await yieldToLoop();
  }
};
