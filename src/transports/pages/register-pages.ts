/** The sign-in pages of the console, which work without script: claiming, joining and signing in. */

import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CountRequest } from '../http/authenticate-request.ts';
import { factsOf, type RequestFacts } from '../http/http-server.ts';
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
  countPage: CountRequest;
  onError: (error: unknown, about: RequestFacts) => void;
}

export const registerPages = (app: FastifyInstance, needs: PagesNeeds): void => {
  const { publicUrl, hostname, countPage } = needs;
  const publicOrigin = new URL(publicUrl).origin;
  const sendPage = createSendPage(hostname);
  const pages = { ...needs, cookie: createSessionCookie(publicUrl), sendPage };
  const styles = [new URL('../../console/styles/tokens.css', import.meta.url), new URL('pages.css', import.meta.url)]
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
  const onError = (error: unknown, request: FastifyRequest): void => needs.onError(error, factsOf(request));
  app.register(async (scope) => {
    readForms(scope);
    answerErrorsAsPages(scope, sendPage, onError);
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = FORM_LIMIT;
    });
    scope.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      // Styles are not limited, so that the page about the limit has its style.
      if (request.routeOptions.url !== STYLES_PATH) await countPage(request, reply);
      if (request.method === 'POST') requireOwnForm(request, publicOrigin);
    });
    scope.get(STYLES_PATH, async (_request, reply) => reply.type('text/css; charset=utf-8').send(styles));
    registerClaimPages(scope, pages);
    registerInvitationPages(scope, pages);
    registerSignInPages(scope, { ...pages, onMailError: onError });
  });
};
