/** `/console`: signing in by a mailed link, and until the console is there a list of what the owner has. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OwnerSession, OwnerSessions } from '../../access/owner-sessions.ts';
import { parseAddress } from '../../kernel/address.ts';
import type { OwnedWorkspace } from '../../resources/owners/owned-workspaces.ts';
import type { LinkFault, SignIn } from '../../resources/owners/sign-in.ts';
import { type ConnectionPagesNeeds, registerConnectionPages, showConnections } from './connections.ts';
import { type Html, html, type PageContent } from './html.ts';
import { type FormFields, redirect, type SendPage } from './page-reply.ts';
import type { ReturnCookie, SessionCookie } from './session-cookie.ts';

export interface SignInPagesNeeds extends ConnectionPagesNeeds {
  signIn: SignIn;
  sessions: Pick<OwnerSessions, 'find'>;
  listOwned: (session: OwnerSession) => Promise<OwnedWorkspace[]>;
  cookie: SessionCookie;
  returnCookie: ReturnCookie;
  sendPage: SendPage;
  /** Of a mail that could not be written after its request was answered. */
  onMailError: (error: unknown, request: FastifyRequest) => void;
}

const HOME = '/console/';
export const SIGN_IN = '/console/sign-in';

const askAddress = (fault: Html | null = null): PageContent => ({
  title: 'Sign in',
  main: html`${fault}<form method="post" action="${SIGN_IN}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
<button>Mail me a sign-in link</button>
</form>
<p class="note">There is no password. The link works once, for 15 minutes.</p>`,
});

const NO_ADDRESS = askAddress(html`<p role="alert">That is no e-mail address. Give one as you@example.com.</p>`);

/** The same whether the address is an owner's or not. */
const MAILED: PageContent = {
  title: 'Look in your mail',
  main: html`<p>If the address belongs to an owner here, a link is on its way to it. Five go to an address in an hour at most.</p>
<p><a href="${SIGN_IN}">Use another address</a></p>`,
};

const confirm = (email: string): PageContent => ({
  title: 'Sign in',
  main: html`<p>You sign in as <code>${email}</code>.</p>
<form method="post"><button>Sign in</button></form>
<p class="note">If you did not ask for this link, close this page. Nobody is signed in then.</p>`,
});

const SIGN_IN_AGAIN = html`<p><a href="${SIGN_IN}">Have another one mailed</a></p>`;

const FAULTS: Readonly<Record<LinkFault, readonly [status: number, page: PageContent]>> = {
  unknown: [
    404,
    {
      title: 'This link signs nobody in',
      main: html`<p>It is not complete, or not of this service. Copy the whole link from the
mail, or have a new one mailed: the last one that was mailed works for 15 minutes.</p>${SIGN_IN_AGAIN}`,
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
  used: [410, { title: 'This link was used', main: html`<p>A link signs in once.</p>${SIGN_IN_AGAIN}` }],
  expired: [410, { title: 'This link has expired', main: html`<p>A link works for 15 minutes.</p>${SIGN_IN_AGAIN}` }],
};

const describeSending = ({ isVerified, sendingState }: OwnedWorkspace): string => {
  if (!isVerified) return 'may not send until the address of its owner is verified';
  if (sendingState === 'paused') return 'may not send: paused';
  return sendingState === 'throttled' ? 'may send, throttled' : 'may send';
};

const showWorkspace = (workspace: OwnedWorkspace): Html => html`<h2>${workspace.name}</h2>
<p class="note">${workspace.subdomain}, plan ${workspace.plan}, ${describeSending(workspace)}</p>
${
  workspace.agents.length === 0
    ? html`<p>No agents yet.</p>`
    : html`<div class="table" role="region" aria-label="Agents of ${workspace.name}" tabindex="0"><table>
<thead><tr><th scope="col">Agent</th><th scope="col">Address</th><th scope="col">State</th></tr></thead>
<tbody>
${workspace.agents.map(
  ({ handle, address, status }) =>
    html`<tr><td>${handle}</td><td><code>${address}</code></td><td>${status}</td></tr>
`,
)}</tbody>
</table></div>`
}`;

const home = (email: string, workspaces: readonly OwnedWorkspace[], connections: Html | null): PageContent => ({
  title: 'Your workspaces',
  main: html`<p>You are signed in as <code>${email}</code>.</p>
${workspaces.length === 0 ? html`<p>You have no workspace.</p>` : workspaces.map(showWorkspace)}
${connections}
<form method="post" action="/console/sign-out"><button class="quiet">Sign out</button>
<button class="quiet" name="everywhere" value="yes">Sign out everywhere</button></form>`,
});

export const registerSignInPages = (scope: FastifyInstance, needs: SignInPagesNeeds): void => {
  const { signIn, sessions, listOwned, cookie, returnCookie, sendPage, onMailError } = needs;

  const findSession = async (request: FastifyRequest) => {
    const secret = cookie.read(request);
    const session = secret === null ? null : await sessions.find(secret);
    return secret !== null && session ? { secret, session } : null;
  };

  registerConnectionPages(scope, needs, findSession, { home: HOME, signIn: SIGN_IN });

  scope.get('/console', async (_request, reply) => redirect(reply, HOME));

  scope.get(HOME, async (request, reply) => {
    const found = await findSession(request);
    if (!found) return redirect(cookie.clear(reply), SIGN_IN);
    const { secret, session } = found;
    // Set anew: its 14 days begin with each use.
    const connections = showConnections(await needs.connections.list(session));
    return sendPage(cookie.set(reply, secret), 200, home(session.owner.email, await listOwned(session), connections));
  });

  scope.get(SIGN_IN, async (request, reply) =>
    (await findSession(request))
      ? redirect(reply, returnCookie.take(request, reply) ?? HOME)
      : sendPage(reply, 200, askAddress()),
  );

  scope.post<{ Body: FormFields | undefined }>(SIGN_IN, async (request, reply) => {
    const email = request.body?.email?.trim() ?? '';
    if (!parseAddress(email)) return sendPage(reply, 400, NO_ADDRESS);
    // After the answer: the time that it takes tells nothing about the address.
    reply.raw.once('finish', () => {
      signIn.mailLink(email).catch((error: unknown) => onMailError(error, request));
    });
    return sendPage(reply, 200, MAILED);
  });

  scope.get<{ Params: { token: string } }>(`${SIGN_IN}/:token`, async ({ params }, reply) => {
    const found = await signIn.findHolder(params.token);
    return found.kind === 'fault'
      ? sendPage(reply, ...FAULTS[found.fault])
      : sendPage(reply, 200, confirm(found.email));
  });

  scope.post<{ Params: { token: string } }>(`${SIGN_IN}/:token`, async (request, reply) => {
    const completed = await signIn.complete(request.params.token);
    if (completed.kind === 'fault') return sendPage(reply, ...FAULTS[completed.fault]);
    return redirect(cookie.set(reply, completed.session), returnCookie.take(request, reply) ?? HOME);
  });

  scope.post<{ Body: FormFields | undefined }>('/console/sign-out', async (request, reply) => {
    const found = await findSession(request);
    if (found) await signIn.signOut(found.secret, found.session, request.body?.everywhere !== undefined);
    return redirect(cookie.clear(reply), SIGN_IN);
  });
};
