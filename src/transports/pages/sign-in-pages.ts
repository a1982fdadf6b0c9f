/** `/console/sign-in`: signs in by a mailed link, and out, without script. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OwnerSessions } from '../../access/owner-sessions.ts';
import { parseAddress } from '../../kernel/address.ts';
import type { SessionCaller } from '../../kernel/caller.ts';
import type { LinkFault, SignIn } from '../../resources/owners/sign-in.ts';
import { type Html, html, type PageContent } from './html.ts';
import { type FaultPages, type FormFields, redirect, registerLinkPage, type SendPage } from './page-reply.ts';
import { createFindSession, type SessionCookie, SIGN_IN } from './session-cookie.ts';

export interface SignInPagesNeeds {
  signIn: SignIn;
  signOut(caller: SessionCaller, everywhere: boolean): Promise<void>;
  sessions: Pick<OwnerSessions, 'find'>;
  cookie: SessionCookie;
  sendPage: SendPage;
  /** Whether mail stays on the machine; then a command prints the link. */
  isLocalOnly: boolean;
  /** Called where a mail could not be written after its request was answered. */
  onMailError: (error: unknown, request: FastifyRequest) => void;
}

const askTitle = (client: string | null): string => (client === null ? 'Sign in' : `Sign in to connect “${client}”`);

/** @param client the application that waits for a connection; null: none */
const askAddress = (client: string | null, fault: Html | null = null): PageContent => ({
  title: askTitle(client),
  hasScript: true,
  main: html`<p>${
    client === null
      ? 'For the people who own the agents of this instance.'
      : 'The application waits. Open the link that we mail you in this browser: it leads back to what the application asks for.'
  }</p>${fault}<form id="way-in" method="post" action="${SIGN_IN}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required maxlength="254" placeholder="you@example.com"
aria-describedby="email-hint">
<span class="hint" id="email-hint">We mail you a link. It works once, for 15 minutes.</span>
<button>Mail me a sign-in link</button>
</form>
<p class="note">No mail comes? On the machine itself, <code>postroom owners sign-in-link</code> prints a link.</p>`,
});

const PRINTED = html`In a terminal on it, <code>./install.sh --local</code> prints a sign-in link, also while Postroom runs; on
a server, <code>postroom owners sign-in-link EMAIL</code> does.`;

const waiting = (client: string | null): Html | null =>
  client === null ? null : html`<p>Open it in this browser to connect “${client}”, which waits.</p>`;

/** For an instance with local mail only: a command prints the link. */
const printOne = (client: string | null, fault: Html | null = null): PageContent => ({
  title: askTitle(client),
  hasScript: true,
  main: html`<p>No mail leaves this machine, so that no link can be mailed. ${PRINTED}</p>${fault}
${waiting(client)}
<div id="way-in"></div>`,
});

const NO_ADDRESS = html`<p role="alert">That is no e-mail address. Give one as you@example.com.</p>`;
const NO_COOKIE = html`<p role="alert">This browser refused the cookie that keeps you signed in. Allow cookies for this site,
then sign in again; a link works once.</p>`;

/** The same text whether or not the address is an owner's. */
const mailed = (client: string | null): PageContent => ({
  title: 'Look in your mail',
  main: html`<p>If the address belongs to an owner here, a link is on its way to it. Five go to an address in an hour at most.</p>
${waiting(client)}
<p><a href="${SIGN_IN}">Use another address</a></p>`,
});

const confirm = (email: string): PageContent => ({
  title: 'Sign in',
  main: html`<p>You sign in as <code>${email}</code>.</p>
<form method="post"><button>Sign in</button></form>
<p class="note">If you did not ask for this link, close this page. Nobody is signed in then.</p>`,
});

const signInAgain = (isLocalOnly: boolean): Html =>
  isLocalOnly
    ? html`<p>No mail leaves this machine. ${PRINTED}</p>`
    : html`<p><a href="${SIGN_IN}">Have another one mailed</a></p>`;

const faultPages = (again: Html): FaultPages<LinkFault> => ({
  unknown: [
    404,
    {
      title: 'This link signs nobody in',
      main: html`<p>It is not complete, or not of this service. Copy the whole link from the
mail, or have a new one mailed: the last one that was mailed works for 15 minutes.</p>${again}`,
    },
  ],
  own: [
    409,
    {
      title: 'This link signs nobody in',
      main: html`<p>It was mailed to an address that is one of this service by now, where an agent may read it. The operator
of this service can add an owner with an address elsewhere, or print a link with <code>postroom owners sign-in-link</code>.</p>`,
    },
  ],
  used: [410, { title: 'This link was used', main: html`<p>A link signs in once.</p>${again}` }],
  expired: [410, { title: 'This link has expired', main: html`<p>A link works for 15 minutes.</p>${again}` }],
});

export const registerSignInPages = (scope: FastifyInstance, needs: SignInPagesNeeds): void => {
  const { signIn, signOut, sessions, cookie, sendPage, isLocalOnly, onMailError } = needs;
  const ask = isLocalOnly ? printOne : askAddress;

  const findSession = createFindSession(sessions, cookie);

  scope.get<{ Querystring: FormFields }>(SIGN_IN, { exposeHeadRoute: true }, async (request, reply) =>
    (await findSession(request))
      ? redirect(reply, cookie.takeRemembered(request, reply))
      : sendPage(reply, 200, ask(cookie.waitingClient(request), request.query.done === undefined ? null : NO_COOKIE)),
  );

  scope.post<{ Body: FormFields | undefined }>(SIGN_IN, async (request, reply) => {
    const email = request.body?.email?.trim() ?? '';
    const client = cookie.waitingClient(request);
    if (isLocalOnly) return sendPage(reply, 409, ask(client));
    if (!parseAddress(email)) return sendPage(reply, 400, askAddress(client, NO_ADDRESS));
    // Runs after the answer, so that its duration reveals nothing about the address.
    reply.raw.once('finish', () => {
      signIn.mailLink(email).catch((error: unknown) => onMailError(error, request));
    });
    return sendPage(reply, 200, mailed(client));
  });

  registerLinkPage(scope, needs, {
    path: `${SIGN_IN}/:token`,
    link: signIn,
    offer: confirm,
    faults: faultPages(signInAgain(isLocalOnly)),
  });

  scope.post<{ Body: FormFields | undefined }>('/console/sign-out', async (request, reply) => {
    const found = await findSession(request);
    if (found) await signOut(found.self, request.body?.everywhere !== undefined);
    return redirect(cookie.clear(reply), SIGN_IN);
  });
};
