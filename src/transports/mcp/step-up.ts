/**
 * A tool call that a token's grant does not reach: refused with 403 and the missing scope in `WWW-Authenticate`, so that a
 * client can ask its user for it (RFC 6750 section 3.1). The body is the tool's refusal, as a key's call has it with 200.
 */

import { z } from 'zod';
import { requireScope } from '../../access/dispatch.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { toRefusalResult } from './result.ts';
import type { Tool } from './tool.ts';

const toolCall = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.object({ name: z.string() }),
});

export interface StepUp {
  refusal: ApiError;
  body: object;
}

/** @returns null for a call that the scopes allow, and for all else that a request may be */
export const findStepUp = (tools: ReadonlyMap<string, Tool>, caller: AgentCaller, message: unknown): StepUp | null => {
  if (!caller.byGrant) return null;
  const { data } = toolCall.safeParse(message);
  const tool = data && tools.get(data.params.name);
  if (!data || !tool) return null;
  try {
    requireScope(tool.bound.operation, caller);
    return null;
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal;
    return { refusal, body: { jsonrpc: '2.0', id: data.id, result: toRefusalResult(tool, refusal) } };
  }
};
