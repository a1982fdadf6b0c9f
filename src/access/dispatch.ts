/** The one way to run an operation, over any transport: authorise, validate, run, record the act, check the answer. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ActivityLog } from '../activity/activity-log.ts';
import { type AgentCaller, type Caller, isPerson, type Via } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Bound, RecordAnswer } from '../kernel/handlers.ts';
import { isRouted, type Operation, StreamReply, scopesOf } from '../kernel/operation.ts';
import type { Db } from '../store/store.ts';
import type { Answer, Idempotency } from './idempotency.ts';
import { toRefusal } from './invalid-input.ts';
import { requireWorkspaceReach } from './made-by.ts';
import { withoutOptionalNulls } from './optional-nulls.ts';
import { shapeOutput } from './output-shape.ts';
import { enterWorkspace, inputOf, outputOf } from './reach.ts';
import { createRecorder } from './record-act.ts';
import { withWellFormedText } from './well-formed-text.ts';

const isRead = (operation: Operation): boolean =>
  operation.tool?.hints?.readOnly ?? (isRouted(operation) && operation.method === 'GET');

/**
 * A suspended agent may read, so that its mail stays in sight. Changes are refused, and so are acts that the activity
 * log records, such as opening a secret. Sends reach the gate, which answers `mailbox_inactive`.
 * @throws ApiError agent_suspended
 */
const requireActive = (operation: Operation, caller: AgentCaller): void => {
  if (!caller.isSuspended || operation.idempotent || (isRead(operation) && operation.activity === null)) return;
  throw new ApiError('agent_suspended');
};

/** A call as its transport reads it. */
export interface IncomingCall {
  caller: Caller;
  input: unknown;
  /** The Idempotency-Key of an agent's call; null where there is none. */
  idempotencyKey: string | null;
  /** The transport, as the activity log names it. */
  via: Via;
  /** Aborted once the caller has disconnected; left out where the transport cannot tell. */
  signal?: AbortSignal;
  /** The media type of a stream that the operation offers and the caller wants; left out: JSON. */
  mediaType?: string | null;
}

interface DispatchNeeds {
  read: Db;
  idempotency: Idempotency;
  activity: Pick<ActivityLog, 'record'>;
}

export type Dispatch = (bound: Bound<Operation>, incoming: IncomingCall) => Promise<Answer>;

const NEVER = new AbortController().signal;

/**
 * Authentication and rate limits are applied before it, by the transport.
 * @param checksOutput for tests: parses each answer by its contract, which takes as long as the query behind a list
 */
export const createDispatch =
  ({ read, idempotency, activity }: DispatchNeeds, checksOutput = false): Dispatch =>
  async ({ operation, handle }, { caller: by, input, idempotencyKey, via, signal = NEVER, mediaType = null }) => {
    authorise(operation, by);
    const [caller, given] = await enterWorkspace(read, operation, by, parseInput(inputOf(operation, by), input));
    const output = outputOf(operation, caller);
    const run = async (recordAnswer: RecordAnswer | null) => {
      const recorder = createRecorder(activity, operation, caller, via);
      const { record, unchanged } = recorder;
      const answer = await handle(caller, given, { recordAnswer, via, signal, mediaType, record, unchanged });
      if (answer instanceof StreamReply && mediaType !== null) return { status: 200, body: answer };
      const answered = recorder.answerOf(answer);
      const body = shapeOutput(output, answered);
      if (checksOutput) requireOutput(operation.name, output, answered, body);
      return { status: isPerson(caller) ? 200 : statusOf(operation, body), body };
    };
    if (idempotencyKey === null || !operation.idempotent || caller.kind !== 'agent') {
      return { ...(await run(null)), replayed: false };
    }
    return idempotency.once(caller, operation, idempotencyKey, input, run);
  };

/**
 * @throws ApiError insufficient_scope where the operation is for other callers, or the key lacks a scope or the reach;
 * agent_suspended
 */
const authorise = (operation: Operation, caller: Caller): void => {
  if (!operation.audience.includes(caller.kind)) {
    throw new ApiError('insufficient_scope', {
      hint: `This operation is for the ${operation.audience.join(' and the ')} alone.`,
    });
  }
  if (caller.kind !== 'agent') return;
  requireScope(operation, caller);
  if (operation.reach === 'workspace') requireWorkspaceReach(caller);
  requireActive(operation, caller);
};

export const requireScope = (operation: Pick<Operation, 'scope'>, caller: AgentCaller): void => {
  const scope = scopesOf(operation).find((needed) => !caller.scopes.has(needed));
  if (scope === undefined) return;
  throw new ApiError('insufficient_scope', {
    hint: `This operation needs the scope ${scope}, which this key lacks.`,
    fields: { scope },
  });
};

/** A page of the console and a command have no status: they read the answer alone. */
const statusOf = (operation: Operation, body: unknown): number =>
  operation.statusOf?.(body) ?? operation.statuses?.[0] ?? 200;

const parseInput = (input: z.ZodType, value: unknown): unknown => {
  const parsed = input.safeParse(withoutOptionalNulls(input, withWellFormedText(input, value)));
  if (parsed.success) return parsed.data;
  throw toRefusal(input, parsed.error, value);
};

/** A handler that breaks its contract's output is a fault of this instance, not of the caller. */
const requireOutput = (name: string, output: z.ZodType, given: unknown, shaped: unknown): void => {
  const parsed = output.safeParse(given);
  if (!parsed.success) {
    throw new Error(`${name} answered in another shape than its contract: ${z.prettifyError(parsed.error)}`);
  }
  if (parsed.data === shaped || isDeepStrictEqual(plain(parsed.data), plain(shaped))) return;
  throw new Error(`${name}: the shaped answer is another than the parsed one.`);
};

/** As JSON has it, where it can be JSON. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
