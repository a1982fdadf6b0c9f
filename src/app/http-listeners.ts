/** The configured HTTP listeners, each with every route. */

import { Server as TlsServer } from 'node:tls';
import type { Budget } from '../budget/budget.ts';
import { type Config, isPlainHttp } from '../config/config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Bound } from '../kernel/handlers.ts';
import { toBindings } from '../net/ip/bindings.ts';
import type { TlsAlpn } from '../net/tls/acme/tls-alpn.ts';
import type { ListenerCertificates } from '../net/tls/listener-certificates.ts';
import { type ConsoleNeeds, registerConsole } from '../transports/console/register-console.ts';
import { type CountRequest, createCountUnrouted } from '../transports/http/authenticate-request.ts';
import { drainable } from '../transports/http/drain.ts';
import {
  createHttpServer,
  formatServerAddress,
  type HttpsSettings,
  type RequestFacts,
} from '../transports/http/http-server.ts';
import { registerStsPolicy, type StsPolicyNeeds } from '../transports/http/mta-sts.ts';
import { type McpNeeds, registerMcp } from '../transports/mcp/endpoint.ts';
import { createOauthRoutes, type OauthNeeds } from '../transports/oauth/register-oauth.ts';
import { createRefusalPage } from '../transports/pages/refusal-page.ts';
import { type PagesNeeds, registerPages } from '../transports/pages/register-pages.ts';
import { type DocumentNeeds, registerDocuments } from '../transports/rest/documents.ts';
import { type RestNeeds, registerRest } from '../transports/rest/routes.ts';
import { EVENT_STREAM, type EventStreamNeeds, registerEventStream } from '../transports/rest/sse-stream.ts';
import { cannotListen } from './start-error.ts';

/** Without what all routes share. */
type OfAll<T> = Omit<T, 'countPage' | 'onError'>;

export interface HttpNeeds {
  /** Requests without a key. */
  countPage: CountRequest;
  budget: Budget;
  clock: Clock;
  operations: readonly Bound[];
  rest: RestNeeds;
  mcp: OfAll<McpNeeds>;
  oauth: OfAll<OauthNeeds>;
  eventStream: EventStreamNeeds;
  documents: OfAll<DocumentNeeds>;
  pages: OfAll<PagesNeeds>;
  console: OfAll<ConsoleNeeds>;
  /** Null: mail is received without TLS, and no policy may ask for it. */
  stsPolicy: OfAll<StsPolicyNeeds> | null;
  newRequestId: () => string;
  /** Null: without TLS. */
  certificate: ListenerCertificates | null;
  /** Null where certificates come from elsewhere. */
  tlsAlpn: Pick<TlsAlpn, 'attach'> | null;
  onError: (error: unknown, about: RequestFacts) => void;
}

export interface HttpListeners {
  /** `host:port` of each. */
  addresses: string[];
  close(): Promise<void>;
}

export const startHttpListeners = async (config: Config, needs: HttpNeeds): Promise<HttpListeners> => {
  const { http, budget: limits } = config;
  const { operations, budget, clock, certificate, countPage, onError } = needs;
  const contracts = operations.map(({ operation }) => operation);
  const https = certificate && {
    cert: certificate.current.cert,
    key: certificate.current.key,
    SNICallback: createSniCallback(certificate),
  };
  const settings = {
    budget,
    clock,
    headerSeconds: limits.http_header_seconds,
    giveWaySeconds: limits.give_way_seconds,
    trustedProxies: http.trusted_proxies,
    https,
    newRequestId: needs.newRequestId,
    countUnrouted: createCountUnrouted(needs.rest, countPage),
    sendRefusalPage: createRefusalPage(needs.pages.hostname),
    onError,
  };
  const registerOauth = createOauthRoutes({ ...needs.oauth, countPage, onError });
  const apps = await Promise.all(
    toBindings(http.listen).map(async (binding) => {
      const own = isPlainHttp(config, binding) ? { ...settings, https: null } : settings;
      const app = createHttpServer(own, [...contracts, EVENT_STREAM]);
      registerDocuments(app, contracts, { ...needs.documents, countPage });
      if (needs.stsPolicy) registerStsPolicy(app, { ...needs.stsPolicy, countPage });
      registerRest(app, operations, needs.rest);
      registerMcp(app, contracts, { ...needs.mcp, countPage, onError });
      registerEventStream(app, needs.eventStream);
      registerOauth(app);
      registerPages(app, { ...needs.pages, countPage, onError });
      registerConsole(app, { ...needs.console, countPage });
      if (app.server instanceof TlsServer) needs.tlsAlpn?.attach(app.server);
      const end = drainable(app);
      await app.listen(binding).catch((cause: unknown) => {
        throw cannotListen(binding, cause);
      });
      return { server: app.server, end };
    }),
  );
  certificate?.subscribe((pair) => {
    for (const { server } of apps) if (server instanceof TlsServer) server.setSecureContext(pair);
  });
  return {
    addresses: apps.map(({ server }) => formatServerAddress(server)),
    close: async () => {
      await Promise.all(apps.map(({ end }) => end()));
    },
  };
};

/** Undefined leaves a client with the listener's own certificate. */
const createSniCallback =
  (certificate: ListenerCertificates): HttpsSettings['SNICallback'] =>
  (name, callback) =>
    callback(null, certificate.contextFor(name));
