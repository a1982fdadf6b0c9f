/** The one gate in front of every operation, whichever transport brought the call. */

import { z } from 'zod';
import type { Caller } from '../kernel/caller.ts';
import { ApiError, type ErrorCode } from '../kernel/errors.ts';
import { type Bound, type Capability, fieldCodes, type Remember, scopesOf } from '../kernel/operation.ts';
import type { Answer, Idempotency } from './idempotency.ts';
import { withoutOptionalNulls } from './optional-nulls.ts';

/** How a call came, beside its input. */
export interface Arrived {
  caller: Caller;
  input: unknown;
  /** The Idempotency-Key, where there is one and the operation takes one. */
  idempotencyKey: string | null;
  /** Aborted once nobody waits for the answer any more; left out where nothing tells. */
  signal?: AbortSignal;
}

export type PassGate = (bound: Bound<Capability>, arrived: Arrived) => Promise<Answer>;

const NEVER = new AbortController().signal;

/** Scope, input, idempotency, handler, output. Who calls and how often is settled before, by the transport. */
export const createGate =
  (idempotency: Idempotency): PassGate =>
  async ({ operation, handle }, { caller, input, idempotencyKey, signal = NEVER }) => {
    requireScope(operation, caller);
    const parsed = parseInput(operation, input);
    const run = async (remember: Remember | null) => {
      const body = parseOutput(operation, await handle(caller, parsed, { remember, signal }));
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

const refusalOf = (schema: z.ZodType, error: z.ZodError, value: unknown): ApiError => {
  const issue = error.issues[0];
  const path = issue?.path ?? [];
  const code = codeOf(schema, path, value) ?? 'invalid_request';
  const where = path.length > 0 ? `\`${path.join('.')}\`: ` : '';
  return new ApiError(code, code === 'invalid_request' ? { hint: `${where}${issue?.message ?? 'not valid'}.` } : {});
};

/** The code that the innermost field on the path has of its own. */
const codeOf = (schema: z.ZodType, path: PropertyKey[], value: unknown): ErrorCode | undefined => {
  let code: ErrorCode | undefined;
  let current: z.ZodType | undefined = schema;
  for (const key of [...path, null]) {
    while (current && !fieldCodes.has(current) && 'unwrap' in current && !(current instanceof z.ZodArray)) {
      current = (current as z.ZodOptional<z.ZodType>).unwrap();
    }
    const own = current && fieldCodes.get(current);
    if (own) code = (value === undefined ? own.missing : own.invalid) ?? own.invalid ?? code;
    if (key === null || !current) return code;
    current = childOf(current, key);
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  }
  return code;
};

const childOf = (schema: z.ZodType, key: PropertyKey): z.ZodType | undefined => {
  if (schema instanceof z.ZodObject) return schema.shape[key as string] as z.ZodType | undefined;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  return undefined;
};
