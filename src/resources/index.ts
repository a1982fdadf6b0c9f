/** Every operation, bound to the service that serves it. */

import type { Audience } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Bound, bind, type Handlers } from '../kernel/handlers.ts';
import type { Contract, Operation } from '../kernel/operation.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { PostNeeds } from '../webhooks/post.ts';
import { createInbox } from './agent-mail/across/service.ts';
import { type AgentMailNeeds, createAgentMail } from './agent-mail/service.ts';
import { createWriting, type WritingNeeds } from './agent-mail/writing/service.ts';
import { addAgent } from './agents/add-agent.ts';
import { addKey } from './agents/keys/add-key.ts';
import { contracts } from './contracts.ts';
import { createReading, type ReadingNeeds } from './messages/read/read-messages.ts';
import { replyAllRecipients, replyRecipients } from './messages/send/reply-recipients.ts';
import { createSending, type SendingNeeds } from './messages/send/send-messages.ts';
import { createSearch, createSearchMailboxes } from './search/service.ts';
import * as plain from './services.ts';
import { createSignup, type SignupNeeds } from './signup/service.ts';
import { createTempAddresses } from './temp-addresses/service.ts';
import { createThreads } from './threads/service.ts';
import { createWebhooks } from './webhooks/service.ts';
import { type AddWorkspaceNeeds, addWorkspace } from './workspaces/add-workspace.ts';

type NeedsOf<T extends (needs: never) => unknown> = Parameters<T>[0];

type SignupLimits = Pick<SignupNeeds, 'limit' | 'dayLimit' | 'queue' | 'isOpen' | 'maxUnclaimed'>;

/** A service for each contract: those that need others are put together here. */
const services = {
  ...plain,
  threads: (needs: ReadingNeeds) => createThreads({ ...needs, reading: createReading(needs) }),
  webhooks: ({
    webhooks: { posting, dispatcher },
    ...needs
  }: Omit<NeedsOf<typeof createWebhooks>, keyof PostNeeds | 'wake'> & {
    webhooks: { posting: PostNeeds; dispatcher: Pick<WebhookDispatcher, 'wake'> };
  }) => createWebhooks({ ...needs, ...posting, wake: dispatcher.wake }),
  tempAddresses: (needs: ReadingNeeds & Omit<NeedsOf<typeof createTempAddresses>, 'readMessage'>) =>
    createTempAddresses({ ...needs, readMessage: createReading(needs).handlers.get }),
  signup: (
    needs: Omit<SignupNeeds, 'addWorkspace' | 'addAgent' | keyof SignupLimits> &
      Omit<AddWorkspaceNeeds, 'vaultKey'> & { signup: SignupLimits },
  ) =>
    createSignup({
      ...needs,
      ...needs.signup,
      addWorkspace: async (wanted, inTransaction) => {
        const { vaultKey } = needs;
        if (!vaultKey) throw new ApiError('vault_unavailable');
        return addWorkspace({ ...needs, vaultKey }, wanted, inTransaction);
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
  mail: (needs: ReadingNeeds & NeedsOf<typeof createSearch> & Pick<AgentMailNeeds, 'workers'>) => {
    const reading = createReading(needs, 'person');
    const threads = createThreads({ ...needs, reading });
    return createAgentMail({ ...needs, reading, threads, search: createSearch(needs) });
  },
  inbox: (needs: NeedsOf<typeof createSearch>) =>
    createInbox({ ...needs, searchMailboxes: createSearchMailboxes(needs) }),
  writing: (needs: SendingNeeds & Omit<WritingNeeds, 'sending' | 'recipientsOf'>) =>
    createWriting({
      ...needs,
      sending: createSending(needs),
      recipientsOf: (kind, ...of) => (kind === 'reply' ? replyRecipients : replyAllRecipients)(...of),
    }),
} satisfies { [N in Noun]: (needs: never) => Handlers<(typeof contracts)[N]> };

type Noun = keyof typeof contracts;
type Both<U> = (U extends unknown ? (each: U) => void : never) extends (both: infer I) => void ? I : never;
type AudienceOf<C extends Contract> = C[keyof C]['audience'][number];
/** The resources that have an operation for one of `A`. */
type NounsOf<A extends Audience> = {
  [N in Noun]: Extract<AudienceOf<(typeof contracts)[N]>, A> extends never ? never : N;
}[Noun];

/** The needs of all services with an operation for one of `A`. */
export type OperationNeeds<A extends Audience> = Both<{ [N in NounsOf<A>]: NeedsOf<(typeof services)[N]> }[NounsOf<A>]>;

/** The operations of each resource that has some for one of the audiences. */
export const bindOperations = <A extends Audience>(
  audiences: readonly A[],
  needs: OperationNeeds<A>,
): Bound<Operation>[] =>
  Object.entries<Contract>(contracts)
    .filter(([, contract]) =>
      Object.values(contract).some(({ audience }) => audience.some((each) => audiences.includes(each as A))),
    )
    .flatMap(([noun, contract]) => {
      const create = services[noun as Noun] as (needs: unknown) => Handlers<Contract>;
      return bind(contract, create(needs));
    });
