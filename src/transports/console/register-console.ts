/** The owners' console: its page and assets, its API, its live events and the frames for mail. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CountRequest } from '../http/authenticate-request.ts';
import { BUILD } from '../pages/built-files.ts';
import { createSendPage, redirect } from '../pages/page-reply.ts';
import { createSessionCookie, SIGN_IN } from '../pages/session-cookie.ts';
import { type ConsoleEventsNeeds, registerConsoleEvents } from './event-stream.ts';
import { registerMailFrames } from './mail-frames.ts';
import { API, createOwnerCalls, type OperationCallsNeeds, registerOperationCalls } from './operation-calls.ts';
import { createSessionGuard, type GuardNeeds } from './session-guard.ts';
import { NOT_BUILT, registerAssets, sendPdfFrame, sendShell, sendWorker } from './static-files.ts';

type Given<T> = Omit<T, 'guard' | 'cookie'>;

export interface ConsoleNeeds extends Given<GuardNeeds>, Given<OperationCallsNeeds>, Given<ConsoleEventsNeeds> {
  hostname: string;
  countPage: CountRequest;
  /** The folder of the build; a test's own, else the checkout's. */
  build?: string;
}

const HOME = '/console/';

export const registerConsole = (app: FastifyInstance, needs: ConsoleNeeds): void => {
  const { publicUrl, hostname, countPage, build = BUILD } = needs;
  const cookie = createSessionCookie(publicUrl);
  const guard = createSessionGuard({ ...needs, cookie });
  const calls = createOwnerCalls({ ...needs, guard, cookie });
  const sendPage = createSendPage(hostname);
  app.register(async (scope) => {
    scope.addHook('onRequest', countPage);
    registerAssets(scope, build);
    registerConsoleEvents(scope, { ...needs, guard });
    registerOperationCalls(scope, calls);
    registerMailFrames(scope, calls);
    // An unknown path of the API is answered with JSON, not with the page.
    scope.get(`${API}/*`, async (_request, reply) => reply.callNotFound());

    const page = async (request: FastifyRequest, reply: FastifyReply) => {
      const found = await guard.find(request);
      if (!found) return redirect(cookie.remember(cookie.clear(reply), request.url), SIGN_IN);
      cookie.set(reply, found.self.secret);
      return sendShell(reply, build) ?? sendPage(reply, 503, NOT_BUILT);
    };
    scope.get(
      '/console/frame/pdf',
      async (_request, reply) => sendPdfFrame(reply, build) ?? sendPage(reply, 503, NOT_BUILT),
    );
    // A browser asks for it without the page, also after the session.
    scope.get('/console/worker.js', async (_request, reply) => sendWorker(reply, build) ?? reply.callNotFound());
    // Monitors of availability ask by HEAD.
    const asked = { exposeHeadRoute: true };
    scope.get('/console', asked, async (_request, reply) => redirect(reply, HOME));
    scope.get(HOME, asked, page);
    scope.get(`${HOME}*`, page);
  });
};
