/** The page that replaces a refused one: shows why, and links to `/` where that has pages. */

import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../kernel/errors.ts';
import { html, type PageContent } from './html.ts';
import { createSendPage, refusalPage } from './page-reply.ts';

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

export const createRefusalPage = (hostname: string) => {
  const sendPage = createSendPage(hostname);
  return (reply: FastifyReply, refusal: ApiError, path: string): FastifyReply => {
    if (refusal.code !== 'route_not_found') {
      return sendPage(reply.headers(refusal.headers), refusal.status, refusalPage(refusal));
    }
    return path === '/' ? sendPage(reply, 200, HOME) : sendPage(reply, refusal.status, MISSING);
  };
};
