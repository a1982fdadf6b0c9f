/** Every operation, bound to what does it. What a new resource adds to the daemon, it adds here. */

import type { Bound, Capability } from '../kernel/operation.ts';
import { bind } from '../kernel/operation.ts';
import type { WebhookSending } from '../webhooks/webhook-sending.ts';
import { identityContract } from './identity/contract.ts';
import { createIdentity } from './identity/service.ts';
import { viewUsage } from './identity/usage.ts';
import { messagesContract } from './messages/contract.ts';
import { createMessages } from './messages/service.ts';
import { viewMessage } from './messages/view.ts';
import { pendingContract } from './pending/contract.ts';
import { createPending } from './pending/service.ts';
import { replaysContract } from './replays/contract.ts';
import { createReplays } from './replays/service.ts';
import { repliesContract } from './replies/contract.ts';
import { createReplies } from './replies/service.ts';
import { scheduledContract } from './scheduled/contract.ts';
import { createScheduled } from './scheduled/service.ts';
import { searchContract } from './search/contract.ts';
import { createSearch } from './search/service.ts';
import { suppressionsContract } from './suppressions/contract.ts';
import { createSuppressions } from './suppressions/service.ts';
import { tempAddressesContract } from './temp-addresses/contract.ts';
import { createFindTempMailbox, createTempAddresses } from './temp-addresses/service.ts';
import { threadsContract } from './threads/contract.ts';
import { createThreads } from './threads/service.ts';
import { waitsContract } from './waits/contract.ts';
import { createWaits } from './waits/service.ts';
import { webhooksContract } from './webhooks/contract.ts';
import { createWebhooks } from './webhooks/service.ts';
import { whoamiContract } from './whoami/contract.ts';
import { createWhoami } from './whoami/service.ts';

type Needs<T extends (needs: never) => unknown> = Parameters<T>[0];

export interface OperationNeeds
  extends Needs<typeof createMessages>,
    Needs<typeof createIdentity>,
    Needs<typeof createSearch>,
    Omit<Needs<typeof createWebhooks>, keyof WebhookSending['posting'] | 'wake'>,
    Omit<Needs<typeof createWaits>, 'viewMessage'>,
    Omit<Needs<typeof createTempAddresses>, 'readMessage'> {
  webhooks: WebhookSending;
}

export interface Operations {
  /** Those with a route. */
  operations: Bound[];
  /** Everything that can be asked for, what a tool's user wants most first. */
  capabilities: Bound<Capability>[];
}

const isRouted = (bound: Bound<Capability>): bound is Bound => 'path' in bound.operation;

export const bindOperations = (needs: OperationNeeds): Operations => {
  const { store, webhooks } = needs;
  const messages = createMessages(needs);
  const waits = createWaits({ ...needs, viewMessage });
  const settings = createWebhooks({ ...needs, ...webhooks.posting, wake: webhooks.dispatcher.wake });
  const capabilities = [
    ...bind(whoamiContract, createWhoami({ store, viewUsage: (db, workspaceId) => viewUsage(needs, db, workspaceId) })),
    ...bind(messagesContract, messages),
    ...bind(searchContract, createSearch(needs)),
    ...bind(threadsContract, createThreads({ store, viewMessage })),
    ...bind(waitsContract, waits),
    ...bind(
      repliesContract,
      createReplies({ ...needs, ...waits, viewMessage, findMailbox: createFindTempMailbox(needs) }),
    ),
    ...bind(pendingContract, createPending(needs)),
    ...bind(scheduledContract, createScheduled(needs)),
    ...bind(identityContract, createIdentity(needs)),
    ...bind(suppressionsContract, createSuppressions(needs)),
    ...bind(webhooksContract, settings),
    ...bind(replaysContract, createReplays(settings)),
    ...bind(tempAddressesContract, createTempAddresses({ ...needs, readMessage: messages.get })),
  ] as Bound<Capability>[];
  return { operations: capabilities.filter(isRouted), capabilities };
};
