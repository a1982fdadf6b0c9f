/** The one gate in front of every operation, whichever transport brought the call. */

import { z } from 'zod';
import type { Caller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import { type Bound, type Capability, type RecordAnswer, scopesOf } from '../kernel/operation.ts';
import type { Answer, Idempotency } from './idempotency.ts';
import { refusalOf } from './invalid-input.ts';
import { withoutOptionalNulls } from './optional-nulls.ts';

/** How a call came, beside its input. */
export interface IncomingCall {
  caller: Caller;
  input: unknown;
  /** The Idempotency-Key, where there is one and the operation takes one. */
  idempotencyKey: string | null;
  /** Aborted once nobody waits for the answer any more; left out where nothing tells. */
  signal?: AbortSignal;
}

export type Dispatch = (bound: Bound<Capability>, arrived: IncomingCall) => Promise<Answer>;

const NEVER = new AbortController().signal;

/** Scope, input, idempotency, handler, output. Who calls and how often is settled before, by the transport. */
export const createDispatch =
  (idempotency: Idempotency): Dispatch =>
  async ({ operation, handle }, { caller, input, idempotencyKey, signal = NEVER }) => {
    requireScope(operation, caller);
    const parsed = parseInput(operation, input);
    const run = async (recordAnswer: RecordAnswer | null) => {
      const body = parseOutput(operation, await handle(caller, parsed, { recordAnswer, signal }));
      return { status: operation.statusOf?.(body) ?? operation.statuses?.[0] ?? 200, body };
    };
    if (idempotencyKey === null || !operation.idempotent) return { ...(await run(null)), replayed: false };
    return idempotency.once(caller, operation, idempotencyKey, input, run);
  };

export const requireScope = (operation: Pick<Capability, 'scope'>, caller: Caller): void => {
  const scope = scopesOf(operation).find((needed) => !caller.scopes.has(needed));
  if (scope === undefined) return;
  throw new ApiError('insufficient_scope', {
    hint: `This operation needs the scope ${scope}, which this key lacks.`,
    fields: { scope },
  });
};

export const parseInput = ({ input }: Capability, value: unknown): unknown => {
  const parsed = input.safeParse(withoutOptionalNulls(input, value));
  if (parsed.success) return parsed.data;
  throw refusalOf(input, parsed.error, value);
};

/** A handler that answers in another shape than its contract is a fault of ours, not the caller's. */
const parseOutput = ({ name, output }: Capability, value: unknown): unknown => {
  const parsed = output.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${name} answered in another shape than its contract: ${z.prettifyError(parsed.error)}`);
};
