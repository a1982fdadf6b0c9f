/** Types of handlers: the call that an operation's handler gets, and its answer. */

import type { z } from 'zod';
import type { Caller, Via, WorkspaceCaller } from './caller.ts';
import type {
  Act,
  Contract,
  Operation,
  PersonInput,
  PersonOutput,
  RoutedOperation,
  StreamReply,
  WorkspaceOf,
} from './operation.ts';

/** A transaction as far as the kernel knows one; only the store makes them. */
export interface Transaction {
  /** Runs `effect` once the commit is on disk, before the transaction's promise resolves. */
  afterCommit(effect: () => void): void;
}

/** Keeps a reply under the request's Idempotency-Key, in the transaction that does its work. */
export type RecordAnswer = (tx: Transaction, status: number, body: unknown) => Promise<void>;

/** The facts of a call that a handler may need beside its input. */
export interface Call {
  /** Null where the request came without an Idempotency-Key. */
  recordAnswer: RecordAnswer | null;
  /** The transport that the call came by. */
  via: Via;
  /** Aborted once the caller has disconnected. */
  signal: AbortSignal;
  /** The operation's {@link RoutedOperation.streams} type that the caller wants; null: JSON. */
  mediaType: string | null;
}

/** The callers that dispatch lets through to an operation. */
export type CallerOf<O extends Operation> = Extract<
  WorkspaceOf<O> extends 'required' ? WorkspaceCaller : Caller,
  { kind: O['audience'][number] }
>;

/** `Wider` alone where it has all fields of `Narrower`, else both. */
type Either<Wider, Narrower> = Narrower extends Wider ? Wider : Wider | Narrower;

declare const isRecorded: unique symbol;

/** An answer made by {@link RecordingCall}: the activity log has its act, or there was no act. */
export interface Recorded<T> {
  readonly answer: T;
  readonly [isRecorded]: true;
}

/** The call of an operation that the activity log records. */
export interface RecordingCall extends Call {
  /** Writes the act to the activity log in the transaction that does it. @returns what the handler answers with */
  record<T>(tx: Transaction, act: Act, answer: T): Promise<Recorded<T>>;
  /** The answer of a call that changed nothing, because all was as it asks: no act is recorded. */
  unchanged<T>(answer: T): Recorded<T>;
}

/** The call that an operation's handler gets. */
export type CallFor<O extends Operation> = O['activity'] extends null ? Call : RecordingCall;
export type AnswerFor<O extends Operation> = O['activity'] extends null ? Answered<O> : Recorded<Answered<O>>;
type Answered<O extends Operation> = z.input<O['output']> | z.input<PersonOutput<O>>;

/**
 * A service: a handler for each operation of its contract. The types let a recorded operation answer only with a
 * recorded answer.
 */
export type Handlers<C extends Contract> = {
  [K in keyof C]: (
    caller: CallerOf<C[K]>,
    input: Either<z.output<C[K]['input']>, z.output<PersonInput<C[K]>>>,
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
