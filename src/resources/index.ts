/** Every resource, bound to its service. */

import { ApiError } from '../kernel/errors.ts';
import {
  type AgentOperation,
  type Bound,
  bind,
  type Contract,
  type Handlers,
  isRouted,
  type Operation,
} from '../kernel/operation.ts';
import type { WebhookSending } from '../webhooks/webhook-sending.ts';
import { createActivity } from './activity/service.ts';
import { agentContracts } from './agent-contracts.ts';
import { createInbox } from './agent-mail/across/service.ts';
import { type AgentMailNeeds, createAgentMail } from './agent-mail/service.ts';
import { addAgent } from './agents/add-agent.ts';
import { addKey } from './agents/keys/add-key.ts';
import { createKeys } from './agents/keys/service.ts';
import { createMailboxes } from './agents/mailboxes/service.ts';
import { createAgents } from './agents/service.ts';
import { createChanges } from './changes/service.ts';
import { createConnections } from './connections/service.ts';
import { createCorrespondence } from './contacts/correspondence/service.ts';
import { createImport, createWorkspaceExchange } from './contacts/exchange/service.ts';
import { createListHandlers } from './contacts/lists/service.ts';
import { createContactPreview } from './contacts/preview/service.ts';
import { createContacts } from './contacts/service.ts';
import { createWorkspaceContacts, createWorkspaceLists } from './contacts/workspace/service.ts';
import { createDomains } from './domains/service.ts';
import { createWorkspaceDomains } from './domains/workspace/service.ts';
import { createHeldParts } from './held-mail/parts/service.ts';
import { createReviewing } from './held-mail/review/service.ts';
import { createHeldMail } from './held-mail/service.ts';
import { createHome } from './home/service.ts';
import { createRules } from './identity/rules/service.ts';
import { createIdentity } from './identity/service.ts';
import { createInstance } from './instance/service.ts';
import { createKnowledge } from './knowledge/service.ts';
import { createWorkspaceKnowledge } from './knowledge/workspace/service.ts';
import { createMailTransfer } from './mail-transfer/service.ts';
import { createReading, type ReadingNeeds } from './messages/read/read-messages.ts';
import { createMessages } from './messages/service.ts';
import { createNotes } from './notes/service.ts';
import { createWorkspaceNotes } from './notes/workspace/service.ts';
import { ownerContracts } from './owner-contracts.ts';
import { createInvitations } from './owners/invitations.ts';
import { createOwners } from './owners/service.ts';
import { personContracts } from './person-contracts.ts';
import { publicContracts } from './public-contracts.ts';
import { createQueue } from './queue/service.ts';
import { createScheduled } from './scheduled/service.ts';
import { createSearch } from './search/service.ts';
import { createManageSecrets } from './secrets/manage/service.ts';
import { createSecretValues } from './secrets/reveal/service.ts';
import { createSecrets } from './secrets/service.ts';
import { createSetUp } from './set-up/service.ts';
import { createSignup, type SignupNeeds } from './signup/service.ts';
import { createSuppressions } from './suppressions/service.ts';
import { createWorkspaceSuppressions } from './suppressions/workspace/service.ts';
import { createTempAddresses } from './temp-addresses/service.ts';
import { createThreads } from './threads/service.ts';
import { createVaultOperations } from './vault/service.ts';
import { createWebhookEndpoints } from './webhooks/endpoints/service.ts';
import { createWebhooks } from './webhooks/service.ts';
import { createWorkspaceWebhooks } from './webhooks/workspace/service.ts';
import { type AddWorkspaceNeeds, addWorkspace } from './workspaces/add-workspace.ts';
import { createPlan } from './workspaces/plan/service.ts';
import { createWorkspaces } from './workspaces/service.ts';

type NeedsOf<T extends (needs: never) => unknown> = Parameters<T>[0];

export interface AgentOperationNeeds
  extends NeedsOf<typeof createIdentity>,
    NeedsOf<typeof createDomains>,
    NeedsOf<typeof createMailboxes>,
    NeedsOf<typeof createMessages>,
    NeedsOf<typeof createChanges>,
    NeedsOf<typeof createHeldMail>,
    NeedsOf<typeof createSearch>,
    NeedsOf<typeof createKnowledge>,
    NeedsOf<typeof createSecrets>,
    Omit<NeedsOf<typeof createTempAddresses>, 'readMessage'>,
    Omit<NeedsOf<typeof createWebhooks>, keyof WebhookSending['posting'] | 'wake'> {
  webhooks: WebhookSending;
}

type Services<C extends Record<string, Contract>> = { [K in keyof C]: Handlers<C[K]> };

const createAgentServices = (needs: AgentOperationNeeds): Services<typeof agentContracts> => {
  const { posting, dispatcher } = needs.webhooks;
  const messages = createMessages(needs);
  return {
    identity: createIdentity(needs),
    messages,
    changes: createChanges(needs),
    search: createSearch(needs),
    threads: createThreads({ ...needs, reading: createReading(needs) }),
    pending: createHeldMail(needs),
    scheduled: createScheduled(needs),
    secrets: createSecrets(needs),
    suppressions: createSuppressions(needs),
    contacts: createContacts(needs),
    contactLists: createListHandlers(needs),
    contactImport: createImport(needs),
    notes: createNotes(needs),
    knowledge: createKnowledge(needs),
    domains: createDomains(needs),
    mailboxes: createMailboxes(needs),
    webhooks: createWebhooks({ ...needs, ...posting, wake: dispatcher.wake }),
    tempAddresses: createTempAddresses({ ...needs, readMessage: messages.get }),
  };
};

type OperationIn<C extends Record<string, Contract>> = { [K in keyof C]: C[K][keyof C[K]] }[keyof C];

const bindAll = <C extends Record<string, Contract>>(contracts: C, services: Services<C>): Bound<OperationIn<C>>[] =>
  Object.entries(contracts).flatMap(([name, contract]) => {
    const bound: Bound<Operation>[] = bind(contract, services[name] as Handlers<Contract>);
    return bound as Bound<OperationIn<C>>[];
  });

export interface AgentOperations {
  /** Those with a REST route. */
  routed: Bound[];
  /** All of them, what a tool's user wants most first. */
  all: Bound<AgentOperation>[];
}

export const bindAgentOperations = (needs: AgentOperationNeeds): AgentOperations => {
  const all: Bound<AgentOperation>[] = bindAll(agentContracts, createAgentServices(needs));
  const routed: Bound<Operation>[] = all;
  return { routed: routed.filter((bound): bound is Bound => isRouted(bound.operation)), all };
};

export interface PublicOperationNeeds
  extends Omit<SignupNeeds, 'addWorkspace' | 'addAgent'>,
    Omit<AddWorkspaceNeeds, 'vaultKey'> {}

export const bindPublicOperations = (needs: PublicOperationNeeds): Bound[] =>
  bindAll(publicContracts, {
    signup: createSignup({
      ...needs,
      addWorkspace: async (wanted, alongside) => {
        const { vaultKey } = needs;
        if (!vaultKey) throw new ApiError('vault_unavailable');
        return addWorkspace({ ...needs, vaultKey }, wanted, alongside);
      },
      addAgent: async (tx, { keyName, ...wanted }) => {
        const agent = await addAgent(needs, tx, { ...wanted, displayName: null, hold: false });
        const key = await addKey(needs, tx, {
          agentId: agent.id,
          name: keyName,
          scopes: null,
          reach: 'workspace',
          expiresAt: null,
        });
        return { agent, keyId: key.id, apiKey: key.key };
      },
    }),
  });

export interface PersonOperationNeeds
  extends NeedsOf<typeof createWorkspaces>,
    NeedsOf<typeof createOwners>,
    NeedsOf<typeof createAgents>,
    NeedsOf<typeof createWorkspaceDomains>,
    NeedsOf<typeof createReviewing>,
    NeedsOf<typeof createMailTransfer>,
    NeedsOf<typeof createWorkspaceExchange>,
    NeedsOf<typeof createManageSecrets>,
    NeedsOf<typeof createVaultOperations>,
    NeedsOf<typeof createWorkspaceKnowledge>,
    NeedsOf<typeof createActivity> {}

export const bindPersonOperations = (needs: PersonOperationNeeds): Bound<Operation>[] =>
  bindAll(personContracts, {
    workspaces: createWorkspaces(needs),
    owners: createOwners(needs),
    agents: createAgents(needs),
    keys: createKeys(needs),
    connections: createConnections(needs),
    rules: createRules(needs),
    domains: createWorkspaceDomains(needs),
    heldMail: createReviewing(needs),
    mailTransfer: createMailTransfer(needs),
    queue: createQueue(needs),
    suppressions: createWorkspaceSuppressions(needs),
    webhooks: createWorkspaceWebhooks(needs),
    contacts: createWorkspaceContacts(needs),
    contactLists: createWorkspaceLists(needs),
    contactExchange: createWorkspaceExchange(needs),
    notes: createWorkspaceNotes(needs),
    knowledge: createWorkspaceKnowledge(needs),
    secrets: createManageSecrets(needs),
    vault: createVaultOperations(needs),
    activity: createActivity(needs),
  });

export interface OwnerOperationNeeds
  extends NeedsOf<typeof createHome>,
    NeedsOf<typeof createHeldParts>,
    NeedsOf<typeof createInvitations>,
    NeedsOf<typeof createSearch>,
    Omit<NeedsOf<typeof createContactPreview>, 'workers'>,
    NeedsOf<typeof createSecretValues>,
    NeedsOf<typeof createPlan>,
    NeedsOf<typeof createInstance>,
    NeedsOf<typeof createSetUp>,
    Omit<NeedsOf<typeof createWebhooks>, keyof WebhookSending['posting'] | 'wake'>,
    ReadingNeeds,
    Pick<AgentMailNeeds, 'workers'> {
  webhooks: WebhookSending;
}

export const bindOwnerOperations = (needs: OwnerOperationNeeds): Bound<Operation>[] =>
  bindAll(ownerContracts, {
    home: createHome(needs),
    mail: createAgentMail({
      ...needs,
      reading: createReading(needs, 'person'),
      threads: createThreads({ ...needs, reading: createReading(needs, 'person') }),
      search: createSearch(needs),
    }),
    inbox: createInbox({ ...needs, search: createSearch(needs) }),
    heldParts: createHeldParts(needs),
    invitations: createInvitations(needs),
    contactPreview: createContactPreview(needs),
    correspondence: createCorrespondence(needs),
    webhookEndpoints: createWebhookEndpoints({
      ...needs,
      ...needs.webhooks.posting,
      wake: needs.webhooks.dispatcher.wake,
    }),
    secretValues: createSecretValues(needs),
    plan: createPlan(needs),
    instance: createInstance(needs),
    setUp: createSetUp(needs),
  });
