/** The sign-in pages of the console, which work without script: claiming, joining and signing in. */

import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../access/rate-limit.ts';
import type { Clock } from '../../kernel/clock.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { countRequest } from '../http/authenticate-request.ts';
import type { RequestFacts } from '../http/http-server.ts';
import { type ClaimPagesNeeds, registerClaimPages } from './claim-pages.ts';
import { STYLES_PATH } from './html.ts';
import { type InvitationPagesNeeds, registerInvitationPages } from './invitation-pages.ts';
import { answerErrorsAsPages, createSendPage, FORM_LIMIT, readForms, requireOwnForm } from './page-reply.ts';
import { createSessionCookie } from './session-cookie.ts';
import { registerSignInPages, type SignInPagesNeeds } from './sign-in-pages.ts';

type Given<T> = Omit<T, 'cookie' | 'sendPage' | 'onMailError'>;

export interface PagesNeeds extends Given<ClaimPagesNeeds>, Given<InvitationPagesNeeds>, Given<SignInPagesNeeds> {
  publicUrl: string;
  hostname: string;
  /** By network. */
  limit: RateLimit;
  clock: Clock;
  onError: (error: unknown, about: RequestFacts) => void;
}

export const registerPages = (app: FastifyInstance, needs: PagesNeeds): void => {
  const { publicUrl, hostname, limit, clock } = needs;
  const publicOrigin = new URL(publicUrl).origin;
  const sendPage = createSendPage(hostname);
  const pages = { ...needs, cookie: createSessionCookie(publicUrl), sendPage };
  const styles = [new URL('../../console/styles/tokens.css', import.meta.url), new URL('pages.css', import.meta.url)]
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
  // Logs the route, not the path, which may contain a link's secret.
  const onError = (error: unknown, { id, method, routeOptions }: FastifyRequest): void =>
    needs.onError(error, { request_id: id, method, url: routeOptions.url ?? '?' });
  app.register(async (scope) => {
    readForms(scope);
    answerErrorsAsPages(scope, sendPage, onError);
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = FORM_LIMIT;
    });
    scope.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      // Styles are not limited, so that the page about the limit has its style.
      if (request.routeOptions.url !== STYLES_PATH) countRequest(limit, clientNetwork(request.ip), clock, reply);
      if (request.method === 'POST') requireOwnForm(request, publicOrigin);
    });
    scope.get(STYLES_PATH, async (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    registerClaimPages(scope, pages);
    registerInvitationPages(scope, pages);
    registerSignInPages(scope, { ...pages, onMailError: onError });
  });
};
