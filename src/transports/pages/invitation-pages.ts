/** `/invitation`: the page of an invitation's mailed link. */

import type { FastifyInstance } from 'fastify';
import type { InvitationFault, OpenInvitation } from '../../resources/owners/joining.ts';
import type { MailedLink } from '../../resources/owners/sign-in.ts';
import { html, type PageContent } from './html.ts';
import { type FaultPages, registerLinkPage, type SendPage } from './page-reply.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface InvitationPagesNeeds {
  joining: MailedLink<OpenInvitation>;
  cookie: SessionCookie;
  sendPage: SendPage;
}

const offer = ({ email, invitedBy, workspace, isOwner }: OpenInvitation): PageContent => ({
  title: 'You are invited',
  main: html`<p><code>${invitedBy}</code> asks you to own a workspace of software agents together.</p>
<dl><dt>Workspace</dt><dd>${workspace}</dd><dt>You sign in as</dt><dd><code>${email}</code></dd></dl>
<p>Its owners read all mail of its agents, decide on held mail and open its vault. The other owners see when you sign in, and
which applications you connect to its agents.</p>
${isOwner ? html`<p>You sign in as before: by a link that is mailed, or a passkey.</p>` : null}
<form method="post"><button>${isOwner ? 'Join' : 'Join and sign in'}</button></form>
<p class="note">If you do not know who asks, close this page. Nothing is done then.</p>`,
});

const ASK_AGAIN = html`<p>Whoever invited you can do so again.</p>`;

const FAULTS: FaultPages<InvitationFault> = {
  unknown: [
    404,
    {
      title: 'This link invites nobody',
      main: html`<p>It is not complete, or the workspace has ended.</p>${ASK_AGAIN}`,
    },
  ],
  ended: [
    410,
    {
      title: 'This invitation is over',
      main: html`<p>It was used, withdrawn, or followed by a later one. If it was you,
<a href="/console/sign-in">sign in</a>.</p>`,
    },
  ],
  expired: [
    410,
    { title: 'This invitation has expired', main: html`<p>An invitation is open for seven days.</p>${ASK_AGAIN}` },
  ],
  own: [
    409,
    {
      title: 'This link invites nobody',
      main: html`<p>It was mailed to an address that is one of this service by now, where an agent may read it. Whoever invited
you can invite you at an address elsewhere.</p>`,
    },
  ],
};

export const registerInvitationPages = (scope: FastifyInstance, needs: InvitationPagesNeeds): void =>
  registerLinkPage(scope, needs, { path: '/invitation/:token', link: needs.joining, offer, faults: FAULTS });
