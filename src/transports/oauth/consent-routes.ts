/** `/oauth/approve/{id}`: an owner's consent to an authorization request. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client, Interaction, default as Provider } from 'oidc-provider';
import { readTokenScopes } from '../../access/oauth-scopes.ts';
import type { OwnerSession, OwnerSessions } from '../../access/owner-sessions.ts';
import { OFFLINE_ACCESS } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Consents } from '../../resources/connections/consents.ts';
import { html } from '../pages/html.ts';
import { createSendOpenedPage, redirect, requireOwnForm, type SendPage } from '../pages/page-reply.ts';
import { consentPath, createFindSession, type SessionCookie, SIGN_IN } from '../pages/session-cookie.ts';
import { describeRedirect } from './client-metadata.ts';
import { type ConsentView, EVERY_AGENT, SHOWN_SCOPES, showConsent } from './consent-page.ts';

export interface ConsentNeeds {
  findProvider: () => Promise<Provider>;
  consents: Consents;
  sessions: Pick<OwnerSessions, 'find'>;
  cookie: SessionCookie;
  publicUrl: string;
  hostname: string;
  sendPage: SendPage;
}

interface Asked {
  interaction: Interaction;
  client: Client;
  clientName: string;
  redirectUri: string;
  scopes: string[];
}

/** Characters of a client's name that are shown. */
const MAX_NAME_CHARS = 80;
const UNNAMED = 'An application without a name';

/** One line; control characters and direction marks could make a name look like another. */
const cleanName = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MAX_NAME_CHARS ? `${line.slice(0, MAX_NAME_CHARS)}…`.toWellFormed() : line;
};

const clientHostOf = (clientId: string): string | null =>
  /^https:/i.test(clientId) && URL.canParse(clientId) ? new URL(clientId).host : null;

const GONE = {
  title: 'This request is over',
  main: html`<p>It was answered, is older than an hour, or was made in another browser. Begin again in the application.</p>`,
};

export const registerConsent = (scope: FastifyInstance, needs: ConsentNeeds): void => {
  const { findProvider, consents, sessions, cookie, publicUrl, sendPage } = needs;
  const { origin } = new URL(publicUrl);
  const sendConsent = createSendOpenedPage(needs.hostname);

  /** The request, if this browser has made it; null for an unknown or ended one. */
  const findAsked = async ({ raw, params }: FastifyRequest, { raw: answer }: FastifyReply): Promise<Asked | null> => {
    const provider = await findProvider();
    const { errors } = await import('oidc-provider');
    try {
      const interaction = await provider.interactionDetails(raw, answer);
      const { client_id: clientId, redirect_uri: redirectUri, scope: asked } = interaction.params;
      const client = await provider.Client.find(String(clientId));
      if (!client || interaction.uid !== (params as { id: string }).id || interaction.result) return null;
      const clientName = cleanName(client.clientName ?? '') || clientHostOf(client.clientId) || UNNAMED;
      const wanted = String(asked ?? '').split(' ');
      const scopes = SHOWN_SCOPES.filter((each) => wanted.includes(each));
      return { interaction, client, clientName, redirectUri: String(redirectUri), scopes };
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) return null;
      throw error;
    }
  };

  const findSession = createFindSession(sessions, cookie);

  /** The request and who answers it; else the reply, the page of an ended request or the way to sign in. */
  const findBoth = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = await findAsked(request, reply);
    if (!asked) return sendPage(reply, 404, GONE);
    const session = await findSession(request);
    if (session) return { asked, session };
    return redirect(cookie.remember(reply, consentPath(asked.interaction.uid), asked.clientName), SIGN_IN);
  };

  const tokenOf = ({ self }: OwnerSession, { uid }: Interaction): string =>
    createHmac('sha256', self.secret).update(`approve ${uid}`).digest('base64url');

  const show = async (
    reply: FastifyReply,
    { interaction, client, clientName, redirectUri, scopes }: Asked,
    session: OwnerSession,
    fault: string | null,
    ticked: ConsentView['ticked'],
  ): Promise<FastifyReply> => {
    const page = showConsent({
      clientName,
      scopes,
      fault,
      ticked,
      clientHost: clientHostOf(client.clientId),
      redirectHost: describeRedirect(redirectUri),
      agents: await consents.listAgents(session.owner.id),
      email: session.owner.email,
      formToken: tokenOf(session, interaction),
    });
    return sendConsent(reply, fault === null ? 200 : 400, page);
  };

  scope.get<{ Params: { id: string } }>(consentPath(':id'), async (request, reply) => {
    const found = await findBoth(request, reply);
    return 'asked' in found ? show(reply, found.asked, found.session, null, null) : found;
  });

  scope.post<{ Params: { id: string }; Body: URLSearchParams | undefined }>(
    consentPath(':id'),
    async (request, reply) => {
      requireOwnForm(request, origin);
      const found = await findBoth(request, reply);
      if (!('asked' in found)) return found;
      const { asked, session } = found;
      const form = request.body ?? new URLSearchParams();
      const [given, right] = [form.get('form') ?? '', tokenOf(session, asked.interaction)].map((each) =>
        Buffer.from(each),
      );
      if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) {
        throw new ApiError('origin_not_allowed', { hint: 'The form is not of this page. Nothing was done.' });
      }
      const finish = async (result: Parameters<Provider['interactionResult']>[2]): Promise<FastifyReply> =>
        redirect(reply, await (await findProvider()).interactionResult(request.raw, reply.raw, result));
      if (form.get('decision') !== 'connect') {
        if (!(await consents.refuse(asked.interaction.uid))) return sendPage(reply, 404, GONE);
        return finish({ error: 'access_denied', error_description: 'The owner refused.' });
      }
      const ticked = {
        scopes: form.getAll('scope'),
        agents: form.getAll('agent'),
        reach: form.get('reach') === 'workspace',
      };
      const { owner } = session;
      const scopes = readTokenScopes(asked.scopes.filter((each) => ticked.scopes.includes(each)).join(' '));
      const agents = (await consents.listAgents(owner.id)).filter(({ id }) => ticked.agents.includes(id));
      const isEvery = ticked.agents.includes(EVERY_AGENT);
      if (scopes.length === 0) return show(reply, asked, session, 'Tick what it may do, or refuse.', ticked);
      if (!isEvery && agents.length === 0) return show(reply, asked, session, 'Tick at least one agent.', ticked);
      const grantId = await consents.give(asked.interaction.uid, {
        owner,
        clientId: asked.client.clientId,
        clientName: asked.clientName,
        redirectHost: describeRedirect(asked.redirectUri),
        scopes,
        reach: ticked.reach ? 'workspace' : 'own',
        isOffline: asked.scopes.includes(OFFLINE_ACCESS) && ticked.scopes.includes(OFFLINE_ACCESS),
        agents: isEvery ? null : agents.map(({ id }) => id),
      });
      if (grantId === null) return sendPage(reply, 404, GONE);
      return finish({ login: { accountId: owner.id, remember: false }, consent: { grantId } });
    },
  );
};
