import type { Address, DomainName } from '../../../src/kernel/address.ts';
import * as agents from '../../../src/store/accounts/agents.ts';
import * as apiKeys from '../../../src/store/accounts/api-keys.ts';
import * as claims from '../../../src/store/accounts/claims.ts';
import * as domains from '../../../src/store/accounts/domains.ts';
import * as expired from '../../../src/store/accounts/expired-rows.ts';
import * as idempotencyKeys from '../../../src/store/accounts/idempotency-keys.ts';
import * as mailboxRows from '../../../src/store/accounts/mailbox-rows.ts';
import * as recipients from '../../../src/store/accounts/recipient-lookup.ts';
import * as removedAgents from '../../../src/store/accounts/removed-agents.ts';
import * as removed from '../../../src/store/accounts/removed-workspaces.ts';
import * as rules from '../../../src/store/accounts/rules.ts';
import * as tempAddresses from '../../../src/store/accounts/temp-addresses.ts';
import * as workspaces from '../../../src/store/accounts/workspaces.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const OWN = 'ann@w.box.test' as Address;

const agentOf = async ({ db, small }: CallContext): Promise<agents.Agent> => {
  const agent = await agents.findAgentById(db, small.agentId);
  if (!agent) throw new Error('The small store has no agent.');
  return agent;
};

const newAgent = async (context: CallContext): Promise<agents.Agent> => ({
  ...(await agentOf(context)),
  id: unknownId(),
  mailboxId: unknownId(),
  handle: 'new',
  address: 'new@w.box.test' as Address,
});

const apiKey = ({ small, now }: CallContext): apiKeys.ApiKey => ({
  id: unknownId(),
  agentId: small.agentId,
  name: 'k',
  scopes: ['mail:read'],
  reach: 'own',
  createdAt: now,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
});

export const agentCalls: CallsOf<typeof agents> = {
  insertMailbox: async (context) => {
    const { id: agentId, domainId, createdAt } = await agentOf(context);
    const receiving = { status: 'active', receiveOnly: true } as const;
    await agents.insertMailbox(context.tx, { ...receiving, id: unknownId(), agentId, domainId, createdAt });
  },
  insertAddress: ({ tx, small }) =>
    agents.insertAddress(tx, { address: REMOTE, mailboxId: small.mailboxId, isPrimary: false }),
  insertAgent: async (context) => agents.insertAgent(context.tx, await newAgent(context)),
  agentsIn: ({ db, small }) => agents.agentsIn(db, small.workspaceId).execute(),
  isHandleTaken: ({ db }) => agents.isHandleTaken(db, 'free'),
  findAgentById: ({ db, small }) => agents.findAgentById(db, small.agentId),
  findAgentByMailbox: ({ db, small }) => agents.findAgentByMailbox(db, small.mailboxId),
  findRenamedAgent: ({ db }) => agents.findRenamedAgent(db, 'old'),
  listFormerAddresses: ({ db, small }) => agents.listFormerAddresses(db, small.mailboxId),
  findAgent: ({ db, small }) => agents.findAgent(db, small.agentId),
  listAgents: async ({ db, small }) => [
    await agents.listAgents(db, null),
    await agents.listAgents(db, small.workspaceId),
  ],
  listLatestAgents: async ({ db, small, now }) => [
    await agents.listLatestAgents(db, small.workspaceId),
    await agents.listLatestAgents(db, small.workspaceId, now),
  ],
  listUsedAgents: ({ db, small }) => agents.listUsedAgents(db, small.workspaceId, 20),
  listHandles: ({ db, small }) => agents.listHandles(db, small.workspaceId),
  countAgents: ({ db, small }) => agents.countAgents(db, small.workspaceId),
  isAddressInWorkspace: ({ db, small }) => agents.isAddressInWorkspace(db, small.workspaceId, OWN),
  updateAgent: ({ tx, small }) => agents.updateAgent(tx, small.agentId, { displayName: 'A', hold: true }),
  renameAgent: async (context) => agents.renameAgent(context.tx, await agentOf(context), 'anna', context.now),
  setMailboxStatus: ({ tx, small }) => agents.setMailboxStatus(tx, small.mailboxId, 'suspended'),
  removeAgent: ({ tx, small, now }) => agents.removeAgent(tx, small.agentId, now),
  reserveColdSlot: ({ tx, small, now }) => agents.reserveColdSlot(tx, small.mailboxId, now, 1_000),
  freeColdSlots: ({ tx, small }) => agents.freeColdSlots(tx, small.workspaceId),
};

export const apiKeyCalls: CallsOf<typeof apiKeys> = {
  insertApiKey: (context) => apiKeys.insertApiKey(context.tx, apiKey(context), Buffer.alloc(32)),
  findKeyHolder: ({ db, now }) => apiKeys.findKeyHolder(db, Buffer.alloc(32), now),
  listLiveKeys: ({ db, now }) => apiKeys.listLiveKeys(db, [unknownId(), unknownId()], now),
  touchApiKey: ({ tx, now }) => apiKeys.touchApiKey(tx, unknownId(), now),
  listApiKeys: async ({ db, small }) => [
    await apiKeys.listApiKeys(db, null),
    await apiKeys.listApiKeys(db, { agentId: small.agentId }),
    await apiKeys.listApiKeys(db, { workspaceId: small.workspaceId }),
  ],
  deleteKeysOfAgent: ({ tx }) => apiKeys.deleteKeysOfAgent(tx, unknownId()),
  revokeApiKey: ({ tx, now }) => apiKeys.revokeApiKey(tx, unknownId(), now),
};

export const domainCalls: CallsOf<typeof domains> = {
  findBaseDomain: ({ db }) => domains.findBaseDomain(db),
  insertDomain: ({ tx, now }) =>
    domains.insertDomain(
      tx,
      {
        id: unknownId(),
        workspaceId: null,
        name: 'new.test' as DomainName,
        kind: 'base',
        status: 'verified',
        verifiedAt: now,
        lastCheckedAt: null,
        createdAt: now,
      },
      [
        {
          selector: 's',
          algorithm: 'rsa-sha256',
          role: 'signing',
          publicKey: 'p',
          sealedPrivateKey: Buffer.from('k'),
          createdAt: now,
        },
      ],
    ),
  insertDkimKey: async ({ tx, now, db }) => {
    const own = await domains.findDomain(db, 'w.box.test');
    if (!own) throw new Error('The small store has no domain.');
    const key = { selector: 's', algorithm: 'rsa-sha256', role: 'next', publicKey: 'p', createdAt: now } as const;
    return domains.insertDkimKey(tx, own.id, { ...key, sealedPrivateKey: Buffer.from('k') });
  },
  findDomainsByName: ({ db }) => domains.findDomainsByName(db, 'w.box.test'),
  findDomain: ({ db }) => domains.findDomain(db, 'w.box.test'),
  findLiveDomainsByName: ({ db }) => domains.findLiveDomainsByName(db, 'w.box.test'),
  findLiveDomain: ({ db }) => domains.findLiveDomain(db, 'w.box.test'),
  listLiveDomains: async ({ db, small }) => [
    await domains.listLiveDomains(db, null),
    await domains.listLiveDomains(db, small.workspaceId),
  ],
  findDomainById: ({ db }) => domains.findDomainById(db, unknownId()),
  findDomainOfAgent: ({ db, small }) => domains.findDomainOfAgent(db, small.agentId),
  listDomains: async ({ db, small }) => [
    await domains.listDomains(db, null),
    await domains.listDomains(db, small.workspaceId),
  ],
  countDomains: ({ db, small }) => domains.countDomains(db, small.workspaceId),
  listFailingDomains: ({ db, small }) => domains.listFailingDomains(db, small.workspaceId),
  findSubdomain: ({ db, small }) => domains.findSubdomain(db, small.workspaceId),
  resealDkimKey: ({ tx }) => domains.resealDkimKey(tx, unknownId(), 's', Buffer.alloc(1)),
  listDkimKeys: ({ db }) => domains.listDkimKeys(db, unknownId()),
};

export const expiredCalls: CallsOf<typeof expired> = {
  purgeExpired: ({ tx, now }) => expired.purgeExpired(tx, now),
};

export const idempotencyCalls: CallsOf<typeof idempotencyKeys> = {
  findIdempotencyRecord: ({ db, now }) => idempotencyKeys.findIdempotencyRecord(db, unknownId(), 'k', now),
  insertIdempotencyRecord: ({ tx, now }) =>
    idempotencyKeys.insertIdempotencyRecord(
      tx,
      unknownId(),
      'k',
      { fingerprint: Buffer.alloc(32), status: 200, body: '{}', createdAt: now },
      now - 1,
    ),
};

export const recipientCalls: CallsOf<typeof recipients> = {
  findRecipient: ({ db }) => recipients.findRecipient(db, OWN),
  findRecipientByMailbox: ({ db, small }) => recipients.findRecipientByMailbox(db, small.mailboxId),
  listAddresses: ({ db, small }) => recipients.listAddresses(db, small.mailboxId),
  isOwnDomain: ({ db }) => recipients.isOwnDomain(db, 'w.box.test'),
  isDeliveredHere: ({ db }) => recipients.isDeliveredHere(db, OWN),
  findReturnPathDomain: ({ db }) =>
    recipients.findReturnPathDomain(db, 'w.box.test' as DomainName, 'box.test' as DomainName),
  isLiveOwnDomain: ({ db }) => recipients.isLiveOwnDomain(db, 'w.box.test'),
};

export const removedAgentCalls: CallsOf<typeof removedAgents> = {
  listDueCleanups: ({ db, now }) => removedAgents.listDueCleanups(db, now, 10),
  setCleanup: ({ tx, small }) => removedAgents.setCleanup(tx, small.agentId, null),
  listQueuedOf: ({ db, small }) => removedAgents.listQueuedOf(db, small.mailboxId, 10),
  listScheduledOf: ({ db, small }) => removedAgents.listScheduledOf(db, small.mailboxId, 10),
  deleteWebhooksOf: ({ tx }) => removedAgents.deleteWebhooksOf(tx, unknownId()),
};

export const ruleCalls: CallsOf<typeof rules> = {
  listRules: ({ db, small }) => rules.listRules(db, small.agentId),
  findRulesFor: ({ db, small }) => rules.findRulesFor(db, small.agentId, REMOTE),
  insertRule: ({ tx, small, now }) =>
    rules.insertRule(
      tx,
      small.agentId,
      { id: unknownId(), match: 'domain', value: 'x.test', action: 'allow', byPerson: false },
      now,
    ),
  findRule: ({ db, small }) => rules.findRule(db, small.agentId, unknownId()),
  countRules: ({ db, small }) => rules.countRules(db, small.agentId),
  deleteRule: ({ tx, small }) => rules.deleteRule(tx, small.agentId, unknownId()),
};

export const tempAddressCalls: CallsOf<typeof tempAddresses> = {
  insertTempAddress: async (context) => {
    const { domainId, id: agentId } = await agentOf(context);
    const { now: createdAt } = context;
    const temporary = { mailboxId: unknownId<'mailbox'>(), address: REMOTE, label: null, createdAt };
    await tempAddresses.insertTempAddress(
      context.tx,
      { ...temporary, expiresAt: createdAt + 1 },
      { agentId, domainId },
    );
  },
  listLiveTempAddresses: ({ db, small, now }) => tempAddresses.listLiveTempAddresses(db, small.agentId, now),
  findLiveTempAddress: ({ db, small, now }) => tempAddresses.findLiveTempAddress(db, small.agentId, REMOTE, now),
  expireTempAddress: ({ tx, now }) => tempAddresses.expireTempAddress(tx, unknownId(), now),
  listExpiredMailboxes: ({ db, now }) => tempAddresses.listExpiredMailboxes(db, now, 100),
};

export const workspaceCalls: CallsOf<typeof workspaces> = {
  insertWorkspace: ({ tx, now }) =>
    workspaces.insertWorkspace(tx, {
      id: unknownId(),
      name: 'N',
      slug: 'n',
      ownerEmail: 'o@remote.test',
      plan: 'free',
      createdAt: now,
      verifiedAt: null,
      hidden: false,
      tier: 'probation',
    }),
  isSlugTaken: ({ db }) => workspaces.isSlugTaken(db, 'w'),
  maySend: null,
  findLiveWorkspace: ({ db, small }) => workspaces.findLiveWorkspace(db, small.workspaceId),
  findWorkspaceOfAgent: ({ db, small }) => workspaces.findWorkspaceOfAgent(db, small.agentId),
  findWorkspaceOfMailbox: ({ db, small }) => workspaces.findWorkspaceOfMailbox(db, small.mailboxId),
  findWorkspaceById: ({ db, small }) => workspaces.findWorkspaceById(db, small.workspaceId),
  findWorkspaces: ({ db, small }) => workspaces.findWorkspaces(db, small.workspaceId),
  listWorkspaces: ({ db }) => workspaces.listWorkspaces(db),
  listThrottledWorkspaces: ({ db }) => workspaces.listThrottledWorkspaces(db),
  listProbationWorkspaces: ({ db }) => workspaces.listProbationWorkspaces(db),
  setSendingState: ({ tx, small, now }) =>
    workspaces.setSendingState(tx, small.workspaceId, 'throttled', 'bounces', now),
  resetRatesBefore: ({ tx, small, now }) => workspaces.resetRatesBefore(tx, small.workspaceId, now),
  setPlan: ({ tx, small }) => workspaces.setPlan(tx, small.workspaceId, 'free', 2.5),
  setVerified: ({ tx, small, now }) => workspaces.setVerified(tx, small.workspaceId, now),
  setOwnerEmail: ({ tx, small }) => workspaces.setOwnerEmail(tx, small.workspaceId, REMOTE),
  endProbation: ({ tx, small }) => workspaces.endProbation(tx, small.workspaceId),
};

export const mailboxRowCalls: CallsOf<typeof mailboxRows> = {
  deleteSomeOfMailbox: async ({ tx, small }) => {
    while ((await mailboxRows.deleteSomeOfMailbox(tx, small.mailboxId, 10)) > 0);
  },
  deleteMailBefore: ({ tx, small, now }) => mailboxRows.deleteMailBefore(tx, small.mailboxId, now + 1, 10),
  deleteMailboxPart: ({ tx }) => mailboxRows.deleteMailboxPart(tx, unknownId(), 10),
};

export const removedWorkspaceCalls: CallsOf<typeof removed> = {
  setWorkspaceRemoved: ({ tx, small, now }) => removed.setWorkspaceRemoved(tx, small.workspaceId, now),
  listWorkspacesToPurge: ({ db }) => removed.listWorkspacesToPurge(db, 10),
  setWorkspacePurged: ({ tx, small, now }) => removed.setWorkspacePurged(tx, small.workspaceId, now),
  listMailboxesOf: ({ db, small }) => removed.listMailboxesOf(db, small.workspaceId),
  deleteSomeOfWorkspace: async ({ tx, small }) => {
    while ((await removed.deleteSomeOfWorkspace(tx, small.workspaceId, 10)) > 0);
  },
  deleteKeysOfWorkspace: ({ tx, small }) => removed.deleteKeysOfWorkspace(tx, small.workspaceId),
};

export const claimCalls: CallsOf<typeof claims> = {
  findWorkspaceByClaim: ({ db }) => claims.findWorkspaceByClaim(db, Buffer.alloc(32)),
  countUnclaimed: ({ db }) => claims.countUnclaimed(db),
  listUnclaimed: ({ db, now }) => claims.listUnclaimed(db, now, 10),
  findLapse: null,
  isUnclaimed: null,
  setClaimed: ({ tx, small, now }) => claims.setClaimed(tx, small.workspaceId, now),
};
