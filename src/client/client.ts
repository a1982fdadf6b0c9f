/**
 * The typed client: the operations' contracts over HTTP.
 *
 * @example
 * const postroom = createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_…' });
 * const { messages } = await postroom.messages.list({ unread_only: true });
 */

import type { z } from 'zod';
import { type Contract, isRouted, type RoutedOperation } from '../kernel/operation.ts';
import { agentContracts } from '../resources/agent-contracts.ts';
import { type CallOptions, type ClientSettings, call } from './call.ts';
import { type StreamOptions, streamEvents } from './event-stream.ts';

type Run<I, O> = (input: I, options?: CallOptions) => Promise<O>;
/** A send is answered with a result of its own where it is a dry run. */
type RunOrTry<I, O> = Run<I & { dry_run: true }, Extract<O, { dry_run: true }>> &
  Run<I & { dry_run?: false | undefined }, Exclude<O, { dry_run: true }>>;

/** A function for each operation that has a route; its input may be left out where every field of it may. */
export type Calls<C extends Contract> = {
  [K in keyof C as C[K] extends RoutedOperation ? K : never]: Record<never, never> extends z.input<C[K]['input']>
    ? (input?: z.input<C[K]['input']>, options?: CallOptions) => Promise<z.output<C[K]['output']>>
    : [Extract<z.output<C[K]['output']>, { dry_run: true }>] extends [never]
      ? Run<z.input<C[K]['input']>, z.output<C[K]['output']>>
      : RunOrTry<z.input<C[K]['input']>, z.output<C[K]['output']>>;
};

/** The calls of each resource, by its name; resources that are tools alone are left out. */
type CallsByResource<R extends Record<string, Contract>> = {
  [N in keyof R as keyof Calls<R[N]> extends never ? never : N]: Calls<R[N]>;
};

export const createClient = (settings: ClientSettings) => {
  const calls = callsByResource(agentContracts, settings);
  return {
    ...calls,
    waits: { waitForEmail: calls.messages.waitForEmail },
    /** What happens in the agent's mailbox and its workspace, as it happens. */
    events: (options?: StreamOptions) => streamEvents(settings, options),
  };
};

export type PostroomClient = ReturnType<typeof createClient>;

const callsByResource = <R extends Record<string, Contract>>(
  resources: R,
  settings: ClientSettings,
): CallsByResource<R> => {
  const createCall =
    (operation: RoutedOperation) =>
    (input: Record<string, unknown> = {}, options?: CallOptions) =>
      call(settings, operation, input, options);
  const createCalls = (contract: Contract) =>
    Object.entries(contract).flatMap(([name, operation]) =>
      isRouted(operation) ? [[name, createCall(operation)]] : [],
    );
  const named = Object.entries(resources).map(([name, contract]) => [name, createCalls(contract)] as const);
  return Object.fromEntries(
    named.flatMap(([name, calls]) => (calls.length > 0 ? [[name, Object.fromEntries(calls)]] : [])),
  ) as CallsByResource<R>;
};
