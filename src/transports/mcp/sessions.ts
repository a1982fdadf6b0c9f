/** MCP sessions of the revisions before 2026-07-28, one for each client, bounded in number and in time. */

import { type ServerContext, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { KeyEndings } from '../../events/key-endings.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { type Clock, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { KeyId } from '../../kernel/ids.ts';
import { createEventStores } from './event-store.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { createServer, type ServerNeeds } from './mcp-server.ts';

export interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  liveness: Liveness;
  close(): Promise<void>;
}

export interface Sessions {
  /** Opens a session; the caller closes it where no `initialize` follows. @throws ApiError overloaded */
  begin(caller: AgentCaller): Promise<Session>;
  /** @throws ApiError session_not_found where there is none of that id, or it is another key's */
  resume(id: string, caller: AgentCaller): Session;
  /** Ends sessions without a request for {@link IDLE_MS}. */
  endIdle(): Promise<void>;
  /** Ends all. */
  close(): Promise<void>;
  readonly count: number;
}

/** A client that is idle longer has to initialize anew. */
export const IDLE_MS: Millis = 30 * MINUTE;
/** An agent has one or two at a time; a client that begins one for each call is held to this many. */
export const MAX_PER_KEY = 32;
/** A session costs some 11 KB. */
const MAX_SESSIONS = 4_096;
/** How long a broken stream may be resumed: clients try again after a second or two. */
const GRACE_MS = 10 * SECOND;
/** What a client is told to wait before it resumes a stream. */
const RESUME_AFTER_MS = SECOND;
const RETRY_AFTER_SECONDS = 10;
/** The id authorises nothing: each request carries its key, and the session must be that key's. */
const SESSION_ID_BYTES = 24;

interface Kept extends Session {
  id: string;
  keyId: KeyId;
  usedAt: Millis;
}

/**
 * The SDK answers nothing to a call that was cancelled, and keeps its stream open for ever. An answer of ours ends it;
 * the client has stopped listening for it.
 */
const endIfCancelled =
  (transport: WebStandardStreamableHTTPServerTransport) =>
  ({ mcpReq: { id } }: ServerContext): void => {
    transport
      .send({ jsonrpc: '2.0', id, error: { code: CANCELLED, message: 'Cancelled' } })
      // The session went with it.
      .catch(() => undefined);
  };

/** The code that the SDK has for a request that is given up. */
const CANCELLED = -32001;

export const createSessions = (needs: ServerNeeds, endings: Pick<KeyEndings, 'onEnd'>, clock: Clock): Sessions => {
  const logs = createEventStores();
  /** The longest unused first. */
  const sessions = new Map<string, Kept>();

  const use = (session: Kept) => {
    session.usedAt = clock.now();
    sessions.delete(session.id);
    sessions.set(session.id, session);
  };
  const makeRoom = async (keyId: KeyId) => {
    const own = [...sessions.values()].filter((session) => session.keyId === keyId);
    const from = own.length >= MAX_PER_KEY ? own : sessions.size >= MAX_SESSIONS ? [...sessions.values()] : null;
    if (!from) return;
    const unused = from.find(({ liveness }) => liveness.connections === 0);
    if (!unused) throw new ApiError('overloaded', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
    await unused.close();
  };

  return {
    begin: async (caller) => {
      const { keyId } = caller;
      await makeRoom(keyId);
      const id = Buffer.from(needs.random(SESSION_ID_BYTES)).toString('base64url');
      const log = logs.open();
      const liveness = createLiveness(GRACE_MS);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: log,
        retryInterval: RESUME_AFTER_MS,
      });
      const server = createServer(needs, endIfCancelled(transport));
      const session: Kept = { id, keyId, usedAt: clock.now(), transport, liveness, close: () => server.close() };
      // A key that is revoked, expired or without its agent ends its calls and streams.
      const unsubscribe = endings.onEnd(caller, () => void session.close().catch(() => undefined));
      server.onclose = () => {
        unsubscribe();
        sessions.delete(id);
        liveness.end();
        log.close();
      };
      await server.connect(transport);
      use(session);
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
        // No call lasts that long: a stream that is still open has no more messages.
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
