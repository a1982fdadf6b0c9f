/** Every operation, bound to what does it. What a new resource adds to the daemon, it adds here. */

import type { Bound, Capability } from '../kernel/operation.ts';
import { bind } from '../kernel/operation.ts';
import { identityContract } from '../resources/identity/contract.ts';
import { createIdentity } from '../resources/identity/service.ts';
import { viewUsage } from '../resources/identity/usage.ts';
import { messagesContract } from '../resources/messages/contract.ts';
import { createMessages } from '../resources/messages/service.ts';
import { viewMessage } from '../resources/messages/view.ts';
import { pendingContract } from '../resources/pending/contract.ts';
import { createPending } from '../resources/pending/service.ts';
import { replaysContract } from '../resources/replays/contract.ts';
import { createReplays } from '../resources/replays/service.ts';
import { repliesContract } from '../resources/replies/contract.ts';
import { createReplies } from '../resources/replies/service.ts';
import { scheduledContract } from '../resources/scheduled/contract.ts';
import { createScheduled } from '../resources/scheduled/service.ts';
import { searchContract } from '../resources/search/contract.ts';
import { createSearch } from '../resources/search/service.ts';
import { suppressionsContract } from '../resources/suppressions/contract.ts';
import { createSuppressions } from '../resources/suppressions/service.ts';
import { tempAddressesContract } from '../resources/temp-addresses/contract.ts';
import { createFindTempMailbox, createTempAddresses } from '../resources/temp-addresses/service.ts';
import { threadsContract } from '../resources/threads/contract.ts';
import { createThreads } from '../resources/threads/service.ts';
import { waitsContract } from '../resources/waits/contract.ts';
import { createWaits } from '../resources/waits/service.ts';
import { webhooksContract } from '../resources/webhooks/contract.ts';
import { createWebhooks } from '../resources/webhooks/service.ts';
import { whoamiContract } from '../resources/whoami/contract.ts';
import { createWhoami } from '../resources/whoami/service.ts';
import type { WebhookSending } from '../webhooks/sending.ts';

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
