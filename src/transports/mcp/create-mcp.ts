/** Serves `/mcp`: sessions for clients of the earlier revisions, exchanges for the current one, with the same tools. */

import type { Bound } from '../../kernel/handlers.ts';
import type { Operation } from '../../kernel/operation.ts';
import { createSessions, type SessionsDeps } from './earlier/sessions.ts';
import { createExchanges, type ExchangesDeps } from './exchanges.ts';
import type { ServerNeeds } from './mcp-server.ts';
import { toTools } from './tools/tool.ts';

export const createMcp = (
  { operations, ...rest }: Omit<ServerNeeds, 'tools' | 'operations'> & { operations: readonly Bound<Operation>[] },
  deps: SessionsDeps & ExchangesDeps,
) => {
  const tools = toTools(operations);
  const needs: ServerNeeds = {
    ...rest,
    tools,
    operations: new Map(operations.map((bound) => [bound.operation.name, bound])),
  };
  return {
    tools,
    sessions: createSessions(needs, deps),
    exchanges: createExchanges(needs, deps),
  };
};
