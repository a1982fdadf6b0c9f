/** Requests without a session, which revision 2026-07-28 has not: each gets a server of its own. */

import { createMcpHandler, ProtocolError, SdkError } from '@modelcontextprotocol/server';
import { MCP_REQUESTS_PER_KEY } from '../../budget/budget.ts';
import { type Pool, takeSlot } from '../../budget/budget-pool.ts';
import type { Revocations } from '../../events/revocations.ts';
import { createServer, type RequestContext, type ServerNeeds, toAuthInfo } from './mcp-server.ts';

const TOO_MANY = `At most ${MCP_REQUESTS_PER_KEY} requests are under way at a time. End one of them first.`;
/** Subscriptions in total: each takes a connection. */
const MAX_SUBSCRIPTIONS = 512;

/** The SDK has no class for refused requests; its reports of them begin so. */
const REJECTED = 'Rejected ';

export interface Exchanges {
  /**
   * @param end ends the answer once the key or grant no longer reaches its agent
   * @throws ApiError rate_limited at the bound
   */
  serve(request: Request, body: unknown, context: RequestContext, end: () => void): Promise<Exchange>;
  close(): Promise<void>;
}

export interface Exchange {
  response: Response;
  /** Call when the answer is sent. */
  release(): void;
}

export interface ExchangesDeps {
  revocations: Pick<Revocations, 'onEnd'>;
  requestPool: Pool;
  onError: (error: unknown) => void;
}

export const createExchanges = (
  needs: ServerNeeds,
  { revocations, requestPool, onError }: ExchangesDeps,
): Exchanges => {
  const handler = createMcpHandler(() => createServer(needs), {
    legacy: 'stateless',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    // A client's mistake is answered, and is no fault of the service.
    onerror: (error) => {
      if (ProtocolError.isInstance(error) || SdkError.isInstance(error) || error.message.startsWith(REJECTED)) return;
      onError(error);
    },
  });
  return {
    serve: async (request, body, context, end) => {
      const lease = takeSlot(requestPool, { key: context.caller.keyId }, TOO_MANY);
      const unsubscribe = revocations.onEnd(context.caller, end);
      const release = (): void => {
        unsubscribe();
        lease.release();
      };
      try {
        return { response: await handler.fetch(request, { authInfo: toAuthInfo(context), parsedBody: body }), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close: handler.close,
  };
};
