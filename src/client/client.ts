/**
 * The typed client: the operations over HTTP.
 *
 * @example
 * const postroom = createClient({ baseUrl: 'http://127.0.0.1:8025', apiKey: 'svc_…' });
 * const { messages } = await postroom.messages.list({ unread_only: true });
 */

import { type CallOptions, type ClientSettings, call, type Route } from './call.ts';
import { type PostroomEvent, type StreamOptions, streamEvents } from './event-stream.ts';
import { type Operations, routes } from './operations.ts';

type Run<I, O> = (input: I, options?: CallOptions) => Promise<O>;
/** A dry run of a send has another result. */
type RunOrTry<I, O> = Run<I & { dry_run: true }, Extract<O, { dry_run: true }>> &
  Run<I & { dry_run?: false | undefined }, Exclude<O, { dry_run: true }>>;

/** The function of an operation; its input is optional where all fields are. */
type CallOf<T extends { input: unknown; output: unknown }> =
  Record<never, never> extends T['input']
    ? (input?: T['input'], options?: CallOptions) => Promise<T['output']>
    : [Extract<T['output'], { dry_run: true }>] extends [never]
      ? Run<T['input'], T['output']>
      : RunOrTry<T['input'], T['output']>;

type CallsOf<T> = { [K in keyof T]: CallOf<T[K] & { input: unknown; output: unknown }> };
type Calls = { [N in keyof Operations]: CallsOf<Operations[N]> };

export type PostroomClient = Calls & {
  /** The events of the agent's mailbox and its workspace, as they happen. */
  events(options?: StreamOptions): AsyncGenerator<PostroomEvent>;
};

export const createClient = (settings: ClientSettings): PostroomClient => {
  return { ...createCalls(settings), events: (options) => streamEvents(settings, options) };
};

const createCalls = (settings: ClientSettings): Calls => {
  const createCall =
    (route: Route) =>
    (input: Record<string, unknown> = {}, options?: CallOptions) =>
      call(settings, route, input, options);
  const createEach = (of: Readonly<Record<string, Route>>) =>
    Object.fromEntries(Object.entries(of).map(([name, route]) => [name, createCall(route)]));
  return Object.fromEntries(Object.entries(routes).map(([name, of]) => [name, createEach(of)])) as unknown as Calls;
};
