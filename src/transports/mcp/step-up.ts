/**
 * Refuses a request beyond a token's scopes with 403 and the missing scope in `WWW-Authenticate`, so that a client can
 * ask its user for it (RFC 6750 section 3.1). The body equals a key's refusal with 200: a tool's result, or a
 * resource's error.
 */

import { z } from 'zod';
import { requireScope } from '../../access/dispatch.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Operation } from '../../kernel/operation.ts';
import { parseResourceUri, toResourceError } from './resources.ts';
import { toRefusalResult } from './result.ts';
import type { Tool } from './tools/tool.ts';

const id = z.union([z.string(), z.number()]);
const asked = z.discriminatedUnion('method', [
  z.object({ id, method: z.literal('tools/call'), params: z.object({ name: z.string() }) }),
  z.object({ id, method: z.literal('resources/read'), params: z.object({ uri: z.string() }) }),
]);

export interface StepUp {
  refusal: ApiError;
  body: object;
}

export interface StepUpNeeds {
  tools: ReadonlyMap<string, Tool>;
  findOperation: (name: string) => Pick<Operation, 'scope'> | undefined;
}

/** @returns null for a request within the scopes, and for any other request */
export const findStepUp = (
  { tools, findOperation }: StepUpNeeds,
  caller: AgentCaller,
  message: unknown,
): StepUp | null => {
  if (!caller.byGrant) return null;
  const { data } = asked.safeParse(message);
  if (!data) return null;
  const answer = (body: object) => ({ jsonrpc: '2.0', id: data.id, ...body });
  if (data.method === 'resources/read') {
    const found = parseResourceUri(data.params.uri);
    const refusal = found && refusalOf(findOperation(found.route.operation), caller);
    return refusal ? { refusal, body: answer({ error: toResourceError(refusal) }) } : null;
  }
  const tool = tools.get(data.params.name);
  const refusal = tool && refusalOf(tool.bound.operation, caller);
  return refusal ? { refusal, body: answer({ result: toRefusalResult(tool, refusal) }) } : null;
};

const refusalOf = (operation: Pick<Operation, 'scope'> | undefined, caller: AgentCaller): ApiError | null => {
  if (!operation) return null;
  try {
    requireScope(operation, caller);
    return null;
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal;
    return refusal;
  }
};
