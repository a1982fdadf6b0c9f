/**
 * The typed client: the operations' contracts over HTTP.
 *
 * @example
 * const postroom = createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_…' });
 * const { messages } = await postroom.messages.list({ unread_only: true });
 */

import type { z } from 'zod';
import type { Contract } from '../kernel/operation.ts';
import { identityContract } from '../resources/identity/contract.ts';
import { messagesContract } from '../resources/messages/contract.ts';
import { pendingContract } from '../resources/pending/contract.ts';
import { scheduledContract } from '../resources/scheduled/contract.ts';
import { searchContract } from '../resources/search/contract.ts';
import { suppressionsContract } from '../resources/suppressions/contract.ts';
import { threadsContract } from '../resources/threads/contract.ts';
import { waitsContract } from '../resources/waits/contract.ts';
import { webhooksContract } from '../resources/webhooks/contract.ts';
import { type CallOptions, type ClientSettings, call } from './call.ts';
import { type StreamOptions, streamEvents } from './event-stream.ts';

/** A function for each operation; its input may be left out where every field of it may. */
export type Calls<C extends Contract> = {
  [K in keyof C]: Record<never, never> extends z.input<C[K]['input']>
    ? (input?: z.input<C[K]['input']>, options?: CallOptions) => Promise<z.output<C[K]['output']>>
    : (input: z.input<C[K]['input']>, options?: CallOptions) => Promise<z.output<C[K]['output']>>;
};

export const createClient = (settings: ClientSettings) => ({
  messages: callsOf(messagesContract, settings),
  pending: callsOf(pendingContract, settings),
  scheduled: callsOf(scheduledContract, settings),
  suppressions: callsOf(suppressionsContract, settings),
  threads: callsOf(threadsContract, settings),
  search: callsOf(searchContract, settings),
  identity: callsOf(identityContract, settings),
  waits: callsOf(waitsContract, settings),
  webhooks: callsOf(webhooksContract, settings),
  /** What happens in the agent's mailbox and its workspace, as it happens. */
  events: (options?: StreamOptions) => streamEvents(settings, options),
});

export type PostroomClient = ReturnType<typeof createClient>;

const callsOf = <C extends Contract>(contract: C, settings: ClientSettings): Calls<C> =>
  Object.fromEntries(
    Object.entries(contract).map(([name, operation]) => [
      name,
      (input: Record<string, unknown> = {}, options?: CallOptions) => call(settings, operation, input, options),
    ]),
  ) as unknown as Calls<C>;
