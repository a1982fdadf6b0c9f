/** Requests of revision 2026-07-28, which has no sessions: each is served by a server of its own. */

import { createMcpHandler, ProtocolError, SdkError } from '@modelcontextprotocol/server';
import { MCP_REQUESTS_PER_KEY } from '../../budget/budget.ts';
import { type Pool, takePlace } from '../../budget/budget-pool.ts';
import type { KeyEndings } from '../../events/key-endings.ts';
import { createServer, type RequestContext, type ServerNeeds, toAuthInfo } from './mcp-server.ts';

const TOO_MANY = `At most ${MCP_REQUESTS_PER_KEY} requests are under way at a time. End one of them first.`;
/** Subscriptions of all: each takes a connection. */
const MAX_SUBSCRIPTIONS = 512;

/** How the SDK's reports of refused requests begin, which have no class of their own. */
const REJECTED = 'Rejected ';

export interface Exchanges {
  /**
   * @param end cuts the answer off, once the key or the grant is over for its agent
   * @throws ApiError rate_limited at the bound
   */
  serve(request: Request, body: unknown, context: RequestContext, end: () => void): Promise<Exchange>;
  close(): Promise<void>;
}

export interface Exchange {
  response: Response;
  /** To be called when the answer is out. */
  release(): void;
}

export interface ExchangesDeps {
  endings: Pick<KeyEndings, 'onEnd'>;
  requestPool: Pool;
  onError: (error: unknown) => void;
}

export const createExchanges = (needs: ServerNeeds, { endings, requestPool, onError }: ExchangesDeps): Exchanges => {
  const handler = createMcpHandler(() => createServer(needs), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    // What a client got wrong is answered, and is no fault.
    onerror: (error) => {
      if (ProtocolError.isInstance(error) || SdkError.isInstance(error) || error.message.startsWith(REJECTED)) return;
      onError(error);
    },
  });
  return {
    serve: async (request, body, context, end) => {
      const lease = takePlace(requestPool, { key: context.caller.keyId }, TOO_MANY);
      const unsubscribe = endings.onEnd(context.caller, end);
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
