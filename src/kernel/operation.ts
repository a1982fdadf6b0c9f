/**
 * An operation, written once: from its contract the REST route, the OpenAPI document, the typed client and the tool
 * are derived; the gate (access/dispatch.ts) binds it to its handler.
 */

import { z } from 'zod';
import type { Caller, Scope } from './caller.ts';
import type { ErrorCode } from './errors.ts';
import type { ToolTerms } from './tool-terms.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A reply that is bytes, not JSON. */
export interface BytesReply {
  contentType: string;
  filename: string;
  content: Uint8Array;
}

/** Stands as the output of an operation that answers with {@link BytesReply}. */
export const bytesReply = z.custom<BytesReply>();

/** What can be asked for, whichever transport brings the call. By itself it is offered as a tool alone. */
export interface Capability<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** Also the tool's name: verb_noun. */
  name: string;
  /** What the caller's key has to have, all of it where several are named. Null: any key will do. */
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
  /** Whether it takes an Idempotency-Key. Its handler keeps its reply by {@link Call.remember}. */
  idempotent?: boolean;
  tool?: ToolTerms;
}

/** A capability with a REST route. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Capability<Input, Output> {
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
  /** Bytes of body it takes; {@link DEFAULT_BODY_LIMIT} where left out. */
  bodyLimit?: number;
}

/** No operation's text fields add up to more; sends, which carry attachments, state their own. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** The scopes that an operation needs, as a list. */
export const scopesOf = ({ scope }: Pick<Capability, 'scope'>): readonly Scope[] => {
  if (scope === null) return [];
  return typeof scope === 'string' ? [scope] : scope;
};

export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => definition;

/** Something offered as a tool alone. */
export const toolOnly = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Capability<Input, Output>,
): Capability<Input, Output> => definition;

/** A resource's operations, by the name of the handler that serves each. */
export type Contract = Record<string, Operation>;
/** The same of a resource that is offered as tools alone. */
export type ToolContract = Record<string, Capability>;

/** A transaction under way, as far as the kernel knows one: the store's are the only ones there are. */
export interface Transaction {
  /** Runs `effect` once the commit is on disk, before the transaction's promise resolves. */
  afterCommit(effect: () => void): void;
}

/** Keeps a reply for whoever repeats the request, in the transaction that does its work. */
export type RecordAnswer = (tx: Transaction, status: number, body: unknown) => Promise<void>;

/** What a handler may need to know of the call beside its input. */
export interface Call {
  /** Null where the request came without an Idempotency-Key. */
  recordAnswer: RecordAnswer | null;
  /** Aborted once nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** What a service is: a handler for each operation of its contract. */
export type Handlers<C extends ToolContract> = {
  [K in keyof C]: (caller: Caller, input: z.output<C[K]['input']>, call: Call) => Promise<z.input<C[K]['output']>>;
};

/** An operation with the handler that serves it. */
export interface Bound<O extends Capability = Operation> {
  operation: O;
  handle(caller: Caller, input: unknown, call: Call): Promise<unknown>;
}

/** Puts a contract and its service together. */
export const bind = <C extends ToolContract>(contract: C, handlers: Handlers<C>): Bound<C[keyof C]>[] =>
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
