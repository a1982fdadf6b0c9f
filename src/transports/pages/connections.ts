/** The applications that an owner has let use agents, on the page of the workspaces, each with a button that cuts it off. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OwnerSession } from '../../access/owner-sessions.ts';
import type { ConnectionView } from '../../resources/connections/contract.ts';
import type { OwnerConnections } from '../../resources/connections/owner-connections.ts';
import { type Html, html } from './html.ts';
import { redirect, type SendPage } from './page-reply.ts';

export interface ConnectionPagesNeeds {
  connections: OwnerConnections;
  sendPage: SendPage;
}

const day = (at: string): string => at.slice(0, 10);

const row = ({ id, client_name, redirect_host, agents, scopes, last_used_at }: ConnectionView): Html =>
  html`<tr><td>${client_name}<br><code>${redirect_host}</code></td><td>${agents === null ? 'every agent' : agents.join(', ')}</td>
<td>${scopes.join(', ')}</td><td>${last_used_at === null ? 'not used yet' : day(last_used_at)}</td>
<td><form method="post" action="/console/connections/${id}/revoke"><button class="quiet" aria-label="Cut off ${client_name}">Cut off</button></form></td></tr>
`;

export const showConnections = (connections: readonly ConnectionView[]): Html | null =>
  connections.length === 0
    ? null
    : html`<h2>Connections</h2>
<p class="note">Applications by the names that they give themselves, and where their answers went.</p>
<div class="table" role="region" aria-label="Connections" tabindex="0"><table>
<thead><tr><th scope="col">Application</th><th scope="col">Agents</th><th scope="col">May</th><th scope="col">Last used</th><th scope="col">End</th></tr></thead>
<tbody>
${connections.map(row)}</tbody>
</table></div>`;

export const registerConnectionPages = (
  scope: FastifyInstance,
  { connections, sendPage }: ConnectionPagesNeeds,
  findSession: (request: FastifyRequest) => Promise<{ session: OwnerSession } | null>,
  paths: { home: string; signIn: string },
): void => {
  scope.post<{ Params: { id: string } }>('/console/connections/:id/revoke', async (request, reply) => {
    const found = await findSession(request);
    if (!found) return redirect(reply, paths.signIn);
    if (await connections.revoke(found.session, request.params.id)) return redirect(reply, paths.home);
    return sendPage(reply, 404, {
      title: 'There is no such connection',
      main: html`<p>It may have ended before. <a href="${paths.home}">Your workspaces</a></p>`,
    });
  });
};
