/** Every resource, bound to its service. */

import { type Bound, bind, type Contract, type Handlers, isRouted, type Operation } from '../kernel/operation.ts';
import type { WebhookSending } from '../webhooks/webhook-sending.ts';
import { agentContracts } from './agent-contracts.ts';
import { createIdentity } from './identity/service.ts';
import { createMessages } from './messages/service.ts';
import { createPending } from './pending/service.ts';
import { createScheduled } from './scheduled/service.ts';
import { createSearch } from './search/service.ts';
import { createSuppressions } from './suppressions/service.ts';
import { createTempAddresses } from './temp-addresses/service.ts';
import { createThreads } from './threads/service.ts';
import { createWebhooks } from './webhooks/service.ts';

type NeedsOf<T extends (needs: never) => unknown> = Parameters<T>[0];

export interface AgentOperationNeeds
  extends NeedsOf<typeof createIdentity>,
    NeedsOf<typeof createMessages>,
    NeedsOf<typeof createSearch>,
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
    pending: createPending(needs),
    scheduled: createScheduled(needs),
    suppressions: createSuppressions(needs),
    webhooks: createWebhooks({ ...needs, ...posting, wake: dispatcher.wake }),
    tempAddresses: createTempAddresses({ ...needs, readMessage: messages.get }),
  };
};

const bindAll = <C extends Record<string, Contract>>(contracts: C, services: Services<C>): Bound<Operation>[] =>
  Object.keys(contracts).flatMap((name) => bind(contracts[name] as Contract, services[name] as Handlers<Contract>));

export interface AgentOperations {
  /** Those with a REST route. */
  routed: Bound[];
  /** All of them, what a tool's user wants most first. */
  all: Bound<Operation>[];
}

export const bindAgentOperations = (needs: AgentOperationNeeds): AgentOperations => {
  const all = bindAll(agentContracts, createAgentServices(needs));
  return { routed: all.filter((bound): bound is Bound => isRouted(bound.operation)), all };
};
