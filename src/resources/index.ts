/** Every resource, bound to its service. */

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
import { createKeys } from './agents/keys/service.ts';
import { createMailboxes } from './agents/mailboxes/service.ts';
import { createAgents } from './agents/service.ts';
import { createImport, createWorkspaceExchange } from './contacts/exchange/service.ts';
import { createListHandlers } from './contacts/lists/service.ts';
import { createContacts } from './contacts/service.ts';
import { createWorkspaceContacts, createWorkspaceLists } from './contacts/workspace/service.ts';
import { createDomains } from './domains/service.ts';
import { createReviewing } from './held-mail/review/service.ts';
import { createHeldMail } from './held-mail/service.ts';
import { createRules } from './identity/rules/service.ts';
import { createIdentity } from './identity/service.ts';
import { createMessages } from './messages/service.ts';
import { createNotes } from './notes/service.ts';
import { createWorkspaceNotes } from './notes/workspace/service.ts';
import { personContracts } from './person-contracts.ts';
import { createQueue } from './queue/service.ts';
import { createScheduled } from './scheduled/service.ts';
import { createSearch } from './search/service.ts';
import { createManageSecrets } from './secrets/manage/service.ts';
import { createSecrets } from './secrets/service.ts';
import { createSuppressions } from './suppressions/service.ts';
import { createWorkspaceSuppressions } from './suppressions/workspace/service.ts';
import { createTempAddresses } from './temp-addresses/service.ts';
import { createThreads } from './threads/service.ts';
import { createVaultOperations } from './vault/service.ts';
import { createWebhooks } from './webhooks/service.ts';
import { createWorkspaces } from './workspaces/service.ts';

type NeedsOf<T extends (needs: never) => unknown> = Parameters<T>[0];

export interface AgentOperationNeeds
  extends NeedsOf<typeof createIdentity>,
    NeedsOf<typeof createMailboxes>,
    NeedsOf<typeof createMessages>,
    NeedsOf<typeof createSearch>,
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
    search: createSearch(needs),
    threads: createThreads(needs),
    pending: createHeldMail(needs),
    scheduled: createScheduled(needs),
    secrets: createSecrets(needs),
    suppressions: createSuppressions(needs),
    contacts: createContacts(needs),
    contactLists: createListHandlers(needs),
    contactImport: createImport(needs),
    notes: createNotes(needs),
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
  return { routed: all.filter((bound): bound is Bound => isRouted(bound.operation)), all };
};

export interface PersonOperationNeeds
  extends NeedsOf<typeof createWorkspaces>,
    NeedsOf<typeof createAgents>,
    NeedsOf<typeof createDomains>,
    NeedsOf<typeof createReviewing>,
    NeedsOf<typeof createWorkspaceExchange>,
    NeedsOf<typeof createManageSecrets>,
    NeedsOf<typeof createVaultOperations>,
    NeedsOf<typeof createActivity> {}

export const bindPersonOperations = (needs: PersonOperationNeeds): Bound<Operation>[] =>
  bindAll(personContracts, {
    workspaces: createWorkspaces(needs),
    agents: createAgents(needs),
    keys: createKeys(needs),
    rules: createRules(needs),
    domains: createDomains(needs),
    heldMail: createReviewing(needs),
    queue: createQueue(needs),
    suppressions: createWorkspaceSuppressions(needs),
    contacts: createWorkspaceContacts(needs),
    contactLists: createWorkspaceLists(needs),
    contactExchange: createWorkspaceExchange(needs),
    notes: createWorkspaceNotes(needs),
    secrets: createManageSecrets(needs),
    vault: createVaultOperations(needs),
    activity: createActivity(needs),
  });
