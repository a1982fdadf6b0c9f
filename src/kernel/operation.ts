/**
 * An operation, written once. Its contract derives the REST route, the OpenAPI document, the typed client and the tool;
 * dispatch (access/dispatch.ts) runs its handler.
 */

import { z } from 'zod';
import { type Audience, type Caller, PERSONS, type Scope } from './caller.ts';
import type { ErrorCode } from './errors.ts';
import type { Annotations } from './tool-annotations.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A reply that is bytes, not JSON. */
export interface BytesReply {
  contentType: string;
  filename: string;
  content: Uint8Array;
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
> {
  /** Also the tool's name: verb_noun. */
  name: string;
  /** The kinds of callers that dispatch lets through; all others are refused. */
  audience: readonly A[];
  /** Required of an agent's key, all of it where several are named. Null: any key will do. */
  scope: Scope | readonly Scope[] | null;
  /** One line. */
  summary: string;
  /** All it takes, in one object. */
  input: Input;
  output: Output;
  /** The statuses it answers with when it is not refused; 200 where left out. */
  statuses?: readonly number[];
  /** Which of them an output has; the first where left out. */
  statusOf?(output: z.infer<Output>): number;
  /** Refusals of its own, beside those that any operation may answer with. */
  errors: readonly ErrorCode[];
  /** Whether it takes an Idempotency-Key. Its handler keeps its reply by {@link Call.recordAnswer}. */
  idempotent?: boolean;
  tool?: Annotations;
}

/** The only kind that transports of agents take. */
export type AgentOperation = Operation<z.ZodType, z.ZodType, 'agent'>;

/** An agent's operation with a REST route. */
export interface RoutedOperation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Operation<Input, Output, 'agent'> {
  method: Method;
  /** As in `/v1/messages/{id}`: a name in braces is taken from the path into the input. */
  path: string;
  scope: Scope | readonly Scope[];
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

export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<RoutedOperation<Input, Output>, 'audience'>,
): RoutedOperation<Input, Output> => ({ audience: AGENT, ...definition });

/** An agent's operation that also answers with streams of other media types. */
export const streamingOperation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<RoutedOperation<Input, Output>, 'audience'> & { streams: readonly string[] },
): RoutedOperation<Input, Output> & { streams: readonly string[] } => ({ audience: AGENT, ...definition });

/** An agent's operation that is offered as a tool alone. */
export const toolOnly = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<Operation<Input, Output, 'agent'>, 'audience'>,
): Operation<Input, Output, 'agent'> => ({ audience: AGENT, ...definition });

/** An act of a person, which no API key can call; left out, its audience is owners and the operator. */
export const personOperation = <
  Input extends z.ZodType,
  Output extends z.ZodType,
  A extends Exclude<Audience, 'agent'> = (typeof PERSONS)[number],
>(
  definition: Pick<Operation<Input, Output, A>, 'name' | 'summary' | 'input' | 'output' | 'errors'> & {
    audience?: readonly A[];
  },
): Operation<Input, Output, A> => ({
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
  /** Aborted once the caller has disconnected. */
  signal: AbortSignal;
  /** Which of the operation's {@link RoutedOperation.streams} the caller wants; null: JSON. */
  mediaType: string | null;
}

/** A service: a handler for each operation of its contract. */
export type Handlers<C extends Contract> = {
  [K in keyof C]: (
    caller: CallerOf<C[K]>,
    input: z.output<C[K]['input']>,
    call: Call,
  ) => Promise<z.input<C[K]['output']> | (C[K] extends { streams: readonly string[] } ? StreamReply : never)>;
};

/** An operation with the handler that serves it. */
export interface Bound<O extends Operation = RoutedOperation> {
  operation: O;
  handle(caller: Caller, input: unknown, call: Call): Promise<unknown>;
}

/** Puts a contract and its service together. */
export const bind = <C extends Contract>(contract: C, handlers: Handlers<C>): Bound<C[keyof C]>[] =>
  Object.entries(contract).map(([name, definition]) => ({
    operation: definition as C[keyof C],
    handle: handlers[name as keyof C] as Bound['handle'],
  }));

interface FieldCodes {
  /** The error where the field is not given. */
  missing?: ErrorCode;
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
