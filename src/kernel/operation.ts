/**
 * An operation, written once. Its contract derives the REST route, the OpenAPI document, the typed client and the tool;
 * dispatch (access/dispatch.ts) runs its handler.
 */

import { z } from 'zod';
import { type Audience, type Caller, PERSONS, type Scope, type Via } from './caller.ts';
import type { ErrorCode } from './errors.ts';
import type { WorkspaceId } from './ids.ts';
import type { Annotations } from './tools/tool-annotations.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An act in the activity log: `noun.verb`, as `key.revoke`. */
export type ActivityAction = `${string}.${string}`;

/** Further facts of an act, shown with it. Never a secret, a key, or a mail's text. */
export type ActivityDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An act as its operation tells it; who did it, and by what, dispatch knows. */
export interface Act {
  /** Null: of the instance itself. */
  workspaceId: WorkspaceId | null;
  /** Name of what was acted on: a handle, an address, a slug. */
  subject: string;
  detail?: ActivityDetail;
}

/** A reply that is bytes; or, where the caller asked for it, what they say, as JSON. */
export interface BytesReply {
  contentType: string;
  filename: string;
  content: Uint8Array;
  inWords?: Record<string, unknown>;
}

/** A reply of another media type than JSON, whose text is made while it is sent: a slow client slows its making. */
export class StreamReply {
  readonly mediaType: string;
  readonly filename: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;

  constructor(mediaType: string, filename: string, chunks: AsyncIterable<string | Uint8Array>) {
    this.mediaType = mediaType;
    this.filename = filename;
    this.chunks = chunks;
  }
}

/** Stands as the output of an operation that answers with {@link BytesReply}. */
export const bytesReply = z.custom<BytesReply>();

/** What can be called, over any transport. */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  A extends Audience = Audience,
  R extends ActivityAction | null = ActivityAction | null,
> {
  /** Also the tool's name: verb_noun. */
  name: string;
  /** The kinds of callers that dispatch lets through; all others are refused. */
  audience: readonly A[];
  /** Required of an agent's key, all of it where several are named. Null: any key will do. */
  scope: Scope | readonly Scope[] | null;
  /** Of what changes things of a workspace that have no maker (access/made-by.ts): callers of the reach `own` are refused. */
  reach?: 'workspace';
  summary: string;
  /** All it takes, in one object. */
  input: Input;
  output: Output;
  /** What the OpenAPI document has in its place: the replies that a client meets unless it asks for another. */
  described?: z.ZodType;
  /** Of a {@link BytesReply}'s. */
  inWords?: z.ZodType;
  /** The statuses it answers with when it is not refused; 200 where left out. */
  statuses?: readonly number[];
  /** Which of them an output has; the first where left out. */
  statusOf?(output: z.infer<Output>): number;
  /** Refusals of its own, beside those that any operation may answer with. */
  errors: readonly ErrorCode[];
  /** Whether it takes an Idempotency-Key. Its handler keeps its reply by {@link Call.recordAnswer}. */
  idempotent?: boolean;
  /** Recorded in the activity log with each call that changes something ({@link RecordingCall.record}); null: none is. */
  activity: R;
  tool?: Annotations;
}

/** The only kind that transports of agents take. */
export type AgentOperation = Operation<z.ZodType, z.ZodType, 'agent'>;

/** An operation with a REST route: an agent's, or one that needs no authentication. */
export interface RoutedOperation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  R extends ActivityAction | null = ActivityAction | null,
  A extends Exclude<Audience, 'owner' | 'operator'> = Exclude<Audience, 'owner' | 'operator'>,
> extends Operation<Input, Output, A, R> {
  method: Method;
  /** As in `/v1/messages/{id}`: a name in braces is taken from the path into the input. */
  path: string;
  /**
   * What the path does not name comes from the query (GET, DELETE) or from the JSON body (POST, PATCH), save what
   * {@link query} lists.
   */
  input: Input;
  /** Fields that come from the query although there is a body. */
  query?: readonly string[];
  /** Takes a JSON body although DELETE mostly has none (RFC 9110 section 9.3.5). */
  body?: true;
  /** A body of this media type is taken beside JSON: its octets are one field; the fields listed come from the query. */
  rawBody?: { mediaType: string; field: string; query: readonly string[] };
  /** A body that is accepted, where the required fields alone make none, or say little. */
  example?: Readonly<Record<string, unknown>>;
  /** Text of this media type is no body: it is taken as a field of the JSON body. */
  embeds?: { mediaType: string; field: string };
  /** Media types beside JSON that it answers with, as a {@link StreamReply}, where the request accepts them. */
  streams?: readonly string[];
  /** Bytes of body it takes; {@link DEFAULT_BODY_LIMIT} where left out. */
  bodyLimit?: number;
}

/** No operation's text fields add up to more; sends, which carry attachments, state their own. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** The scopes that an operation needs, as a list. */
export const scopesOf = ({ scope }: Pick<Operation, 'scope'>): readonly Scope[] => {
  if (scope === null) return [];
  return typeof scope === 'string' ? [scope] : scope;
};

export const hasBody = ({ method, body }: Pick<RoutedOperation, 'method' | 'body'>): boolean =>
  method === 'POST' || method === 'PATCH' || body === true;

export const isRouted = (operation: Operation): operation is RoutedOperation => 'path' in operation;

const AGENT = ['agent'] as const;

/** An agent's operation with a REST route. Left out, `activity` is null: it neither changes who may do what nor opens a secret. */
export const operation = <
  Input extends z.ZodType,
  Output extends z.ZodType,
  const R extends ActivityAction | null = null,
>(
  definition: Omit<RoutedOperation<Input, Output, R, 'agent'>, 'audience' | 'activity' | 'scope'> & {
    activity?: R;
    scope: Scope | readonly Scope[];
  },
): RoutedOperation<Input, Output, R, 'agent'> => ({ audience: AGENT, activity: null as R, ...definition });

/** An operation with a REST route that needs no authentication. No tool: a tool call has a key. */
export const publicOperation = <
  Input extends z.ZodType,
  Output extends z.ZodType,
  const R extends ActivityAction | null,
>(
  definition: Omit<RoutedOperation<Input, Output, R, 'anonymous'>, 'audience' | 'scope' | 'tool'>,
): RoutedOperation<Input, Output, R, 'anonymous'> => ({
  audience: ['anonymous'],
  scope: null,
  tool: { none: 'it needs no key, and gives the first one.' },
  ...definition,
});

export const isPublic = ({ audience }: Operation): boolean => audience.includes('anonymous');

/** An agent's operation that also answers with streams of other media types. */
export const streamingOperation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<RoutedOperation<Input, Output, null, 'agent'>, 'audience' | 'activity' | 'scope'> & {
    scope: Scope | readonly Scope[];
    streams: readonly string[];
  },
): RoutedOperation<Input, Output, null, 'agent'> & { streams: readonly string[] } => ({
  audience: AGENT,
  activity: null,
  ...definition,
});

/** An agent's operation that is offered as a tool alone. */
export const toolOnly = <
  Input extends z.ZodType,
  Output extends z.ZodType,
  const R extends ActivityAction | null = null,
>(
  definition: Omit<Operation<Input, Output, 'agent', R>, 'audience' | 'activity'> & { activity?: R },
): Operation<Input, Output, 'agent', R> => ({ audience: AGENT, activity: null as R, ...definition });

/** An act of a person, which no API key can call, with its line of the activity log. Audience: owners and the operator. */
export const personOperation = <
  Input extends z.ZodType,
  Output extends z.ZodType,
  const R extends ActivityAction | null,
  A extends Exclude<Audience, 'agent'> = (typeof PERSONS)[number],
>(
  definition: Pick<Operation<Input, Output, A, R>, 'name' | 'summary' | 'input' | 'output' | 'errors' | 'activity'> & {
    audience?: readonly A[];
  },
): Operation<Input, Output, A, R> => ({
  scope: null,
  audience: PERSONS as readonly unknown[] as readonly A[],
  ...definition,
});

/** A resource's operations, by the name of the handler that serves each. */
export type Contract = Record<string, Operation>;

/** The callers that dispatch lets through to an operation. */
export type CallerOf<O extends Operation> = Extract<Caller, { kind: O['audience'][number] }>;

/** A transaction under way, as far as the kernel knows one: the store's are the only ones there are. */
export interface Transaction {
  /** Runs `effect` once the commit is on disk, before the transaction's promise resolves. */
  afterCommit(effect: () => void): void;
}

/** Keeps a reply under the request's Idempotency-Key, in the transaction that does its work. */
export type RecordAnswer = (tx: Transaction, status: number, body: unknown) => Promise<void>;

/** What a handler may need to know of the call beside its input. */
export interface Call {
  /** Null where the request came without an Idempotency-Key. */
  recordAnswer: RecordAnswer | null;
  /** The transport that the call came by. */
  via: Via;
  /** Aborted once the caller has disconnected. */
  signal: AbortSignal;
  /** Which of the operation's {@link RoutedOperation.streams} the caller wants; null: JSON. */
  mediaType: string | null;
}

declare const isRecorded: unique symbol;

/** An answer whose act stands in the activity log, or that had none: what {@link RecordingCall} returns, and nothing else. */
export interface Recorded<T> {
  readonly answer: T;
  readonly [isRecorded]: true;
}

/** The call of an operation that the activity log records. */
export interface RecordingCall extends Call {
  /** Writes the act to the activity log in the transaction that does it. @returns what the handler answers with */
  record<T>(tx: Transaction, act: Act, answer: T): Promise<Recorded<T>>;
  /** The answer of a call that found everything as it asks for, and has written nothing: no act is recorded. */
  unchanged<T>(answer: T): Recorded<T>;
}

/** What the handler of an operation is called with, and what it answers. */
export type CallFor<O extends Operation> = O['activity'] extends null ? Call : RecordingCall;
export type AnswerFor<O extends Operation> = O['activity'] extends null
  ? z.input<O['output']>
  : Recorded<z.input<O['output']>>;

/** A service: a handler for each operation of its contract. One that is recorded can answer only what it has recorded. */
export type Handlers<C extends Contract> = {
  [K in keyof C]: (
    caller: CallerOf<C[K]>,
    input: z.output<C[K]['input']>,
    call: CallFor<C[K]>,
  ) => Promise<AnswerFor<C[K]> | (C[K] extends { streams: readonly string[] } ? StreamReply : never)>;
};

/** An operation with the handler that serves it. */
export interface Bound<O extends Operation = RoutedOperation> {
  operation: O;
  handle(caller: Caller, input: unknown, call: RecordingCall): Promise<unknown>;
}

export const bind = <C extends Contract>(contract: C, handlers: Handlers<C>): Bound<C[keyof C]>[] =>
  Object.entries(contract).map(([name, definition]) => ({
    operation: definition as C[keyof C],
    handle: handlers[name as keyof C] as Bound['handle'],
  }));

/** Input whose values stand in no hint, whatever is wrong with them. */
export const sensitiveInputs: z.core.$ZodRegistry<{ sensitive: true }> = z.registry<{ sensitive: true }>();

export const sensitive = <S extends z.ZodType>(schema: S): S => {
  sensitiveInputs.add(schema, { sensitive: true });
  return schema;
};

export interface FieldCodes {
  /** The error where the field is not given. */
  missing?: ErrorCode;
  /** The error where it is null, which for an optional field else says as much as leaving it out. */
  null?: ErrorCode;
  /** The error where it is text without a word. */
  empty?: ErrorCode;
  /** The error where its value is not of its form. */
  invalid?: ErrorCode;
}

/** Fields whose refusal has a code of its own in the interface; all others are `invalid_request`. */
export const fieldCodes: z.core.$ZodRegistry<FieldCodes> = z.registry<FieldCodes>();

/** Gives a field its own codes: `field({ missing: 'body_required' }, z.string())`. */
export const field = <S extends z.ZodType>(codes: FieldCodes, schema: S): S => {
  fieldCodes.add(schema, codes);
  return schema;
};
