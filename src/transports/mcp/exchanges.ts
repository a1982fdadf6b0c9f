/** Requests of revision 2026-07-28, which has no sessions: each is served by a server of its own. */

import { createMcpHandler, ProtocolError, SdkError } from '@modelcontextprotocol/server';
import type { KeyEndings } from '../../events/key-endings.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { KeyId } from '../../kernel/ids.ts';
import { createServer, type RequestContext, type ServerNeeds, toAuthInfo } from './mcp-server.ts';

/** Requests of one key or grant that are under way at a time, open subscriptions among them. */
const MAX_EXCHANGES_PER_KEY = 64;
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

export const createExchanges = (
  needs: ServerNeeds,
  endings: Pick<KeyEndings, 'onEnd'>,
  onError: (error: unknown) => void,
): Exchanges => {
  const handler = createMcpHandler(() => createServer(needs), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    // What a client got wrong is answered, and is no fault.
    onerror: (error) => {
      if (ProtocolError.isInstance(error) || SdkError.isInstance(error) || error.message.startsWith(REJECTED)) return;
      onError(error);
    },
  });
  const underWay = new Map<KeyId, number>();
  return {
    serve: async (request, body, context, end) => {
      const { keyId } = context.caller;
      const count = underWay.get(keyId) ?? 0;
      if (count >= MAX_EXCHANGES_PER_KEY) {
        const hint = `At most ${MAX_EXCHANGES_PER_KEY} requests are under way at a time. End one of them first.`;
        throw new ApiError('rate_limited', { hint, headers: { 'retry-after': '1' } });
      }
      underWay.set(keyId, count + 1);
      const unsubscribe = endings.onEnd(context.caller, end);
      let isOpen = true;
      const release = (): void => {
        if (!isOpen) return;
        isOpen = false;
        unsubscribe();
        const left = (underWay.get(keyId) ?? 1) - 1;
        if (left === 0) underWay.delete(keyId);
        else underWay.set(keyId, left);
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
