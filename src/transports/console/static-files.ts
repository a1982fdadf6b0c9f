/** The console's files, as `npm run build:console` leaves them: the page for every path below `/console/`, and its assets. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html, type PageContent } from '../pages/html.ts';

/**
 * Scripts and styles of this origin alone, none inline; mail stands in frames of this origin, whose own policy is
 * stricter (mail-frames.ts). An avatar, a font or an image of another host is refused.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': CONSOLE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
};

/** Shown in place of the console where no build is. */
export const NOT_BUILT: PageContent = {
  title: 'The console is not built',
  main: html`<p>This checkout has no build of the console. Build it on the machine itself; the daemon need not be restarted:</p>
<p><code>npm run build:console</code></p>
<p>Mail, agents and the command line do not need it.</p>`,
};

/** Names of assets have a hash of their content. */
const YEAR_SECONDS = 31_536_000;

export const registerAssets = (scope: FastifyInstance, build: string): void => {
  scope.register(fastifyStatic, {
    root: join(build, 'assets'),
    prefix: '/console/assets/',
    preCompressed: true,
    maxAge: YEAR_SECONDS * 1000,
    immutable: true,
    index: false,
    redirect: false,
    dotfiles: 'deny',
    // The build may come after the start.
    wildcard: true,
    setHeaders: (reply) => {
      reply.header('cross-origin-resource-policy', 'same-origin');
    },
  });
};

/** Sends the page that starts the console. @returns null where no build is */
export const sendShell = (reply: FastifyReply, build: string): FastifyReply | null => {
  if (!existsSync(join(build, 'index.html'))) return null;
  return reply
    .headers(PAGE_HEADERS)
    .type('text/html; charset=utf-8')
    .sendFile('index.html', build, { cacheControl: false, preCompressed: false } as never);
};
