/** MCP sessions of the revisions before 2026-07-28, one for each client, bounded in number and in time. */

import { type ServerContext, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Pool } from '../../../budget/budget-pool.ts';
import type { Revocations } from '../../../events/revocations.ts';
import type { AgentCaller } from '../../../kernel/caller.ts';
import { type Clock, DAY, type Millis, SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { KeyId } from '../../../kernel/ids.ts';
import { createServer, type ServerNeeds } from '../mcp-server.ts';
import { createEventStores } from './event-store.ts';
import { createLiveness, type Liveness } from './liveness.ts';

export interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  liveness: Liveness;
  close(): Promise<void>;
}

export interface Sessions {
  /** Opens a session; the caller closes it where no `initialize` follows. @throws ApiError overloaded */
  begin(caller: AgentCaller): Promise<Session>;
  /** @throws ApiError session_not_found for an unknown id, or another key's session */
  resume(id: string, caller: AgentCaller): Session;
  /** Ends sessions without a request for {@link IDLE_MS}. */
  endIdle(): Promise<void>;
  /** Ends all. */
  close(): Promise<void>;
  readonly count: number;
}

/** A client that is idle longer has to initialize anew. Some never do and lose their calls, so it is long; the pool bounds the number. */
export const IDLE_MS: Millis = DAY;
/** How long a broken stream may be resumed: clients retry after a second or two. */
const GRACE_MS = 10 * SECOND;
/** The announced pause before a client resumes a stream. */
const RESUME_AFTER_MS = SECOND;
const RETRY_AFTER_SECONDS = 10;
/** The id authorises nothing: each request carries its key, and the session must be that key's. */
const SESSION_ID_BYTES = 24;

interface Kept extends Session {
  id: string;
  keyId: KeyId;
  usedAt: Millis;
  /** Increases with each use of any session, because the clock may not advance. */
  lastUse: number;
}

/**
 * The SDK does not answer a cancelled call, and keeps its stream open. An answer from here ends it; the client has
 * stopped listening.
 */
const endIfCancelled =
  (transport: WebStandardStreamableHTTPServerTransport) =>
  ({ mcpReq: { id } }: ServerContext): void => {
    transport
      .send({ jsonrpc: '2.0', id, error: { code: CANCELLED, message: 'Cancelled' } })
      // The session ended with it.
      .catch(() => undefined);
  };

/** The SDK's code for an abandoned request. */
const CANCELLED = -32001;

export interface SessionsDeps {
  revocations: Pick<Revocations, 'onEnd'>;
  /** At its bound, the longest unused session without a connection ends. */
  sessionPool: Pool;
  clock: Clock;
}

export const createSessions = (needs: ServerNeeds, { revocations, sessionPool, clock }: SessionsDeps): Sessions => {
  const logs = createEventStores();
  const sessions = new Map<string, Kept>();
  let uses = 0;

  const use = (session: Kept) => {
    session.usedAt = clock.now();
    uses += 1;
    session.lastUse = uses;
  };

  return {
    begin: async (caller) => {
      const { keyId } = caller;
      const id = Buffer.from(needs.random(SESSION_ID_BYTES)).toString('base64url');
      const log = logs.open();
      const liveness = createLiveness(GRACE_MS);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: log,
        retryInterval: RESUME_AFTER_MS,
      });
      const server = createServer(needs, endIfCancelled(transport));
      const session: Kept = { id, keyId, usedAt: 0, lastUse: 0, transport, liveness, close: () => server.close() };
      use(session);
      const lease = sessionPool.open(
        { key: keyId },
        {
          evictionRank: () => (liveness.connections === 0 ? -session.lastUse : null),
          evict: () => void session.close().catch(() => undefined),
        },
      );
      if (lease.grow(1) !== null)
        throw new ApiError('overloaded', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
      sessions.set(id, session);
      // A revoked or expired key, or one without its agent, ends its calls and streams.
      const unsubscribe = revocations.onEnd(caller, () => void session.close().catch(() => undefined));
      server.onclose = () => {
        unsubscribe();
        sessions.delete(id);
        lease.release();
        liveness.end();
        log.close();
      };
      await server.connect(transport);
      return session;
    },
    resume: (id, { keyId }) => {
      const session = sessions.get(id);
      if (!session || session.keyId !== keyId) throw new ApiError('session_not_found');
      use(session);
      return session;
    },
    endIdle: async () => {
      for (const session of [...sessions.values()]) {
        // No call lasts so long, so an open stream has no more messages.
        if (clock.now() - session.usedAt > IDLE_MS) await session.close();
      }
    },
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
    get count() {
      return sessions.size;
    },
  };
};
