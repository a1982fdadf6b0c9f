/** `/claim`: the page of an agent's claim_url, and the page of the mailed link. */

import type { FastifyInstance } from 'fastify';
import { isoTime } from '../../kernel/clock.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import type { ClaimFault, Claims, ClaimView } from '../../resources/owners/claims.ts';
import { type Html, html, type PageContent } from './html.ts';
import { type FaultPages, registerLinkPage, type SendPage } from './page-reply.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface ClaimPagesNeeds {
  claims: Claims;
  cookie: SessionCookie;
  sendPage: SendPage;
}

const day = (at: number): string => isoTime(at).slice(0, 10);

const facts = ({ workspace, agents }: ClaimView): Html => html`<dl>
<dt>Workspace</dt><dd>${workspace}</dd>
${agents.map(
  ({ address, description }) => html`<dt>Agent</dt><dd><code>${address}</code></dd>
${description === null ? null : html`<dt>It says</dt><dd>${description}</dd>`}`,
)}
</dl>`;

const SIGN_IN = html`<p><a href="/console/sign-in">Sign in</a></p>`;

const CLAIMED: PageContent = {
  title: 'This workspace is claimed already',
  main: html`<p>Whoever claimed it signs in by a link that is mailed.</p>${SIGN_IN}`,
};

/** The state of an open claim. */
const claimState = ({ isVerified, lapsesAt }: ClaimView): Html =>
  html`${isVerified ? 'The operator of this service lets it send mail.' : 'Until it is claimed, it can receive mail but not send.'}${
    lapsesAt === null ? null : html` What is not claimed by ${day(lapsesAt)} ends, with its mail.`
  }`;

const offer = (view: ClaimView): PageContent => ({
  title: view.mailedTo === null ? 'An agent made a workspace' : 'An agent made a workspace for you',
  main: html`<p>It signed up on ${day(view.createdAt)} and named ${view.mailedTo === null ? 'no owner' : 'you as its owner'}.
${claimState(view)}</p>
${facts(view)}
${
  view.mailedTo === null
    ? html`<p>No address was given at signup, so that no link can be mailed. The operator of this service can make you its
owner.</p>`
    : html`<form method="post"><button>Mail the claim link to ${view.mailedTo}</button></form>
<ol>
<li>The link goes to the address given at signup. This page proves nothing.</li>
<li>You open it and press Claim. That signs you in.</li>
</ol>
<p class="note">Not yours? Leave it. ${view.isVerified ? null : 'It cannot send mail. '}This page tells nobody that you came.</p>`
}`,
});

const confirmation = (view: ClaimView): PageContent => ({
  title: 'Claim this workspace',
  main: html`${facts(view)}
<p>It is yours once you press the button, and its agents may send mail${view.isOnProbation ? ': 10 mails a day to new people in the first week' : null}.</p>
<form method="post"><button>Claim it and sign in</button></form>
<p class="note">If you know of no such agent, close this page. Nothing is done then.</p>`,
});

const MAILED: PageContent = {
  title: 'The link is on its way',
  main: html`<p>Open it within 15 minutes. Look among unwanted mail too; where nothing comes, go back and have another one
mailed.</p>`,
};

const LIMITED: PageContent = {
  title: 'Enough links were mailed',
  main: html`<p>An address is sent three claim links in an hour and ten in a day, five of them asked for from one place. Open the last one, or come back later.</p>`,
};

const UNKNOWN: PageContent = {
  title: 'This link claims nothing',
  main: html`<p>It is not complete, or the workspace has ended. Ask the agent for its claim link again.</p>`,
};

const NO_ADDRESS: PageContent = {
  title: 'No link can be mailed',
  main: html`<p>No address was given at signup. The operator of this service can make you the owner of this workspace; then you
sign in by a link that is mailed to you.</p>`,
};

const LOCAL: PageContent = {
  title: 'No link can be mailed',
  main: html`<p>This machine sends no mail beyond itself. Whoever runs it makes you the owner by
<code>postroom owners add</code>, and prints a link that signs you in by <code>postroom owners sign-in-link</code>.</p>`,
};

const FAULTS: FaultPages<ClaimFault> = {
  unknown: [404, UNKNOWN],
  claimed: [409, CLAIMED],
  own: [
    409,
    {
      title: 'This link claims nothing',
      main: html`<p>It was mailed to an address that is one of this service by now, where an agent may read it. The operator
of this service can make a person with an address elsewhere the owner.</p>`,
    },
  ],
  used: [
    410,
    { title: 'This link was used', main: html`<p>A claim link works once. If it was you, sign in.</p>${SIGN_IN}` },
  ],
  expired: [
    410,
    {
      title: 'This link has expired',
      main: html`<p>A claim link works for 15 minutes. Open the agent's claim link, and have another one mailed.</p>`,
    },
  ],
};

const MAIL_OUTCOMES: FaultPages<Awaited<ReturnType<Claims['mailLink']>>> = {
  mailed: [200, MAILED],
  limited: [429, LIMITED],
  claimed: [409, CLAIMED],
  'no-address': [409, NO_ADDRESS],
  local: [409, LOCAL],
  unknown: [404, UNKNOWN],
};

export const registerClaimPages = (scope: FastifyInstance, needs: ClaimPagesNeeds): void => {
  const { claims, sendPage } = needs;
  scope.get<{ Params: { token: string } }>('/claim/:token', { exposeHeadRoute: true }, async ({ params }, reply) => {
    const view = await claims.findOpen(params.token);
    if (!view) return sendPage(reply, 404, UNKNOWN);
    return sendPage(reply, 200, view.isClaimed ? CLAIMED : offer(view));
  });

  scope.post<{ Params: { token: string } }>('/claim/:token', async ({ params, ip }, reply) =>
    sendPage(reply, ...MAIL_OUTCOMES[await claims.mailLink(params.token, clientNetwork(ip))]),
  );

  registerLinkPage(scope, needs, {
    path: '/claim/confirm/:token',
    link: claims,
    offer: confirmation,
    faults: FAULTS,
  });
};
