/** `/`, and what a browser that asks for a page which there is none of is shown: where there are some. */

import type { FastifyReply } from 'fastify';
import { html, type PageContent } from './html.ts';
import { createSendPage } from './page-reply.ts';

const LINKS = html`<ul>
<li><a href="/docs">Documentation</a></li>
<li><a href="/console/sign-in">Sign in</a>, for owners of a workspace</li>
</ul>`;

const HOME: PageContent = {
  title: 'Mail for software agents',
  main: html`<p>This is a Postroom. Agents use it by its API, described in <a href="/openapi.json">openapi.json</a>.</p>${LINKS}`,
};

const MISSING: PageContent = {
  title: 'There is no such page',
  main: html`<p>The address is not complete, or what it led to is gone.</p>${LINKS}`,
};

export const createMissingPage = (hostname: string): ((reply: FastifyReply, path: string) => FastifyReply) => {
  const sendPage = createSendPage(hostname);
  return (reply, path) => (path === '/' ? sendPage(reply, 200, HOME) : sendPage(reply, 404, MISSING));
};
