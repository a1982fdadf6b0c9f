/** The authorization server in Fastify: discovery, the endpoints of oidc-provider, and the consent page. */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimit } from '../../access/rate-limit.ts';
import { type Clock, HOUR } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { type CountRequest, countByNetwork } from '../http/authenticate-request.ts';
import { factsOf, type RequestFacts } from '../http/http-server.ts';
import { takeOver } from '../http/take-over.ts';
import { formatPage, html } from '../pages/html.ts';
import { answerErrorsAsPages, createSendPage, pageHeaders } from '../pages/page-reply.ts';
import { createSessionCookie } from '../pages/session-cookie.ts';
import { type ConsentNeeds, registerConsent } from './consent-routes.ts';
import { toEndpointRequest } from './endpoint-request.ts';
import {
  AUTHORIZATION_SERVER,
  authorizationServerMetadata,
  PROTECTED_RESOURCE,
  protectedResourceMetadata,
  resourceSuffix,
} from './metadata.ts';
import { ROUTES, resumePath } from './oauth-paths.ts';
import type { ProviderNeeds } from './provider.ts';

export interface OauthNeeds
  extends Omit<ProviderNeeds, 'mayFetch' | 'renderError' | 'onError'>,
    Pick<ConsentNeeds, 'consents' | 'sessions' | 'hostname'> {
  clock: Clock;
  countPage: CountRequest;
  onError: (error: unknown, about: RequestFacts) => void;
}

/** By network. */
const REGISTRATIONS_PER_HOUR = 20;
const DOCUMENTS_PER_HOUR = 60;
/** A request that waits for its owner is stored for an hour. */
const AUTHORIZATIONS_PER_MINUTE = 60;
/** oidc-provider's own limit. */
const BODY_LIMIT = 56 * 1024;

/** Browser clients read these from their own pages, without a cookie. */
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'www-authenticate' };
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
  'access-control-max-age': '3600',
};

/** Many applications keep the id of a registration that has ended, and name it each time that they are told to connect. */
const UNKNOWN_CLIENT = html`This server does not know the application, or does not know it any more. Remove the connection in
the application and add it again, so that it registers anew (for <code>mcp-remote</code>, delete the folder <code>.mcp-auth</code> in
your home folder first)`;

/** The text of the page for a request that cannot be answered by a redirect (RFC 6749 section 4.1.2.1). */
const errorPage = (code: string) => ({
  title: 'The application asked in a way that cannot be answered',
  main: html`<p>Nothing was allowed, and the application is not told. ${
    code === 'invalid_client' ? UNKNOWN_CLIENT : 'Begin again in the application'
  }; where that does not help, its makers need this code: <code>${code}</code></p>`,
});

/** @returns registers the routes with a listener; all listeners share the limits and the fetched documents */
export const createOauthRoutes = (needs: OauthNeeds): ((app: FastifyInstance) => void) => {
  const { publicUrl, audience, hostname, clock, countPage } = needs;
  const base = new URL(publicUrl);
  const sendPage = createSendPage(hostname);
  const registrations = createRateLimit(clock, REGISTRATIONS_PER_HOUR, HOUR);
  const countAuthorization = countByNetwork(createRateLimit(clock, AUTHORIZATIONS_PER_MINUTE), clock);
  const documents = createRateLimit(clock, DOCUMENTS_PER_HOUR, HOUR);
  const networks = new WeakMap<IncomingMessage, string>();
  const logged = (error: unknown, request: FastifyRequest): void => needs.onError(error, factsOf(request));
  const startProvider = async () => {
    const { createProvider } = await import('./provider.ts');
    const provider = createProvider({
      ...needs,
      mayFetch: ({ req }) => documents.take(networks.get(req) ?? '').allowed,
      renderError: (context, code) => {
        context.type = 'html';
        for (const [name, value] of Object.entries(pageHeaders)) context.set(name, value);
        context.body = formatPage(errorPage(code), hostname, null);
      },
      onError: (error) => needs.onError(error, { request_id: '', method: '', url: '/oauth' }),
    });
    return { provider, answer: provider.callback() };
  };
  let started: ReturnType<typeof startProvider> | null = null;
  /** Started by the first request: its modules are a quarter of a start, and many instances never need it. */
  const findStarted = (): ReturnType<typeof startProvider> => {
    started ??= startProvider();
    return started;
  };

  /** Passes a request to oidc-provider, which writes the answer. */
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { body } = request;
    const asked = toEndpointRequest(request, body instanceof Buffer ? body : undefined, base, audience);
    networks.set(asked, clientNetwork(request.ip));
    const raw = takeOver(reply);
    try {
      const { answer } = await findStarted();
      await answer(asked, raw);
    } catch (error) {
      logged(error, request);
      raw.destroy();
    }
  };

  const preflight = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply
      .code(204)
      .headers({ ...OPEN, ...PREFLIGHT })
      .send();

  return (app) => {
    app.register(async (scope) => {
      scope.addHook('onRequest', countPage);
      const serveDocument = (path: string, describe: (url: string) => object): void => {
        scope.get(path, { exposeHeadRoute: true }, async ({ url }, reply) =>
          reply.headers({ ...OPEN, 'cache-control': 'public, max-age=300' }).send(describe(url)),
        );
        scope.options(path, preflight);
      };
      const server = authorizationServerMetadata(publicUrl);
      serveDocument(AUTHORIZATION_SERVER, () => server);
      const describe = (url: string) => protectedResourceMetadata(publicUrl, `${audience}${resourceSuffix(url)}`);
      for (const path of [PROTECTED_RESOURCE, `${PROTECTED_RESOURCE}/mcp`, `${PROTECTED_RESOURCE}/mcp/`])
        serveDocument(path, describe);
    });

    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
        async (_request: unknown, body: Buffer) => body,
      );
      scope.addHook('onRequest', countPage);
      scope.addHook('onRoute', (route) => {
        route.bodyLimit = BODY_LIMIT;
      });
      scope.get(ROUTES.jwks, serve);
      for (const path of [ROUTES.token, ROUTES.revocation]) {
        scope.post(path, serve);
        scope.options(path, serve);
      }
      scope.post(ROUTES.registration, async (request, reply) => {
        const allowance = registrations.take(clientNetwork(request.ip));
        if (!allowance.allowed) {
          const seconds = Math.ceil((allowance.resetAt - clock.now()) / 1_000);
          throw new ApiError('rate_limited', { headers: { 'retry-after': String(seconds), ...OPEN } });
        }
        await serve(request, reply.headers(OPEN));
      });
      scope.options(ROUTES.registration, preflight);
    });

    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: BODY_LIMIT },
        async (_request: unknown, body: string) => new URLSearchParams(body),
      );
      answerErrorsAsPages(scope, sendPage, logged);
      scope.addHook('onRequest', countPage);
      const cookie = createSessionCookie(publicUrl);
      scope.get(ROUTES.authorization, { onRequest: countAuthorization }, serve);
      scope.get(resumePath(':id'), serve);
      const findProvider = async () => (await findStarted()).provider;
      registerConsent(scope, { ...needs, cookie, findProvider, sendPage });
    });
  };
};
