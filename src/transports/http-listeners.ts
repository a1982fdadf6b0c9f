/** The HTTP listeners that the config asks for, each with every route. */

import { Server as TlsServer } from 'node:tls';
import type { Budget } from '../budget/budget.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Bound } from '../kernel/operation.ts';
import type { WatchedCertificate } from '../net/certificate-files.ts';
import { createCountUnrouted } from './http/admission.ts';
import { drainable } from './http/drain.ts';
import { addressOf, createHttpServer, type RequestFacts } from './http/server.ts';
import { type McpNeeds, registerMcp } from './mcp/endpoint.ts';
import { type DocumentNeeds, registerDocuments } from './rest/documents.ts';
import { EVENT_STREAM, type EventStreamNeeds, registerEventStream } from './rest/event-stream.ts';
import { type RestNeeds, registerRest } from './rest/routes.ts';

export interface HttpNeeds {
  budget: Budget;
  clock: Clock;
  operations: readonly Bound[];
  rest: RestNeeds;
  mcp: McpNeeds;
  eventStream: EventStreamNeeds;
  documents: DocumentNeeds;
  newRequestId: () => string;
  /** Null: without TLS. */
  certificate: WatchedCertificate | null;
  onError: (error: unknown, about: RequestFacts) => void;
}

export interface HttpListeners {
  /** `host:port` of each. */
  addresses: string[];
  close(): Promise<void>;
}

export const startHttpListeners = async (
  { http, budget: limits }: Config,
  needs: HttpNeeds,
): Promise<HttpListeners> => {
  const { operations, budget, clock, certificate, onError } = needs;
  const contracts = operations.map(({ operation }) => operation);
  const https = certificate?.current ?? null;
  const settings = {
    budget,
    clock,
    headerSeconds: limits.http_header_seconds,
    giveWaySeconds: limits.give_way_seconds,
    trustedProxies: http.trusted_proxies,
    https,
    newRequestId: needs.newRequestId,
    countUnrouted: createCountUnrouted(needs.rest, needs.documents.limit),
    onError,
  };
  const apps = await Promise.all(
    http.listen.map(async ({ host, port }) => {
      const app = createHttpServer(settings, [...contracts, EVENT_STREAM]);
      registerDocuments(app, contracts, needs.documents);
      registerRest(app, operations, needs.rest);
      registerMcp(app, contracts, needs.mcp);
      registerEventStream(app, needs.eventStream);
      const end = drainable(app);
      await app.listen({ host, port });
      return { server: app.server, end };
    }),
  );
  certificate?.subscribe((pair) => {
    for (const { server } of apps) if (server instanceof TlsServer) server.setSecureContext(pair);
  });
  return {
    addresses: apps.map(({ server }) => addressOf(server)),
    close: async () => {
      await Promise.all(apps.map(({ end }) => end()));
    },
  };
};
