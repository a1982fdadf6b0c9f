/** The console's files, made by `npm run build:console`: the page for every path below `/console/`, and its assets. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtScript } from '../pages/built-files.ts';
import { html, type PageContent } from '../pages/html.ts';

/**
 * Scripts and styles come from this origin only, none inline; frames for mail have a stricter policy (mail-frames.ts).
 * Avatars, fonts and images of other hosts are refused.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
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

/** Shown where the console is not built. */
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
    // The console may be built after the start.
    wildcard: true,
    setHeaders: (reply) => {
      // The PDF frame has an opaque origin and loads its script from here. WebKit refuses
      // it under a Cross-Origin-Resource-Policy of `same-origin`.
      reply.header('access-control-allow-origin', '*');
    },
  });
};

const sendBuilt = (reply: FastifyReply, build: string, file: string, headers: Record<string, string>) => {
  if (!existsSync(join(build, file))) return null;
  return reply
    .headers(headers)
    .type('text/html; charset=utf-8')
    .sendFile(file, build, { cacheControl: false, preCompressed: false } as never);
};

/** Sends the page that starts the console. @returns null where it is not built */
export const sendShell = (reply: FastifyReply, build: string): FastifyReply | null =>
  sendBuilt(reply, build, 'index.html', PAGE_HEADERS);

/** Scripts run in an opaque origin: without the cookie, and without access to any host. The worker is of the same script. */
const PDF_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  'worker-src blob:',
  "style-src 'self'",
  'img-src data: blob:',
  'font-src data: blob:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

/** Sends the document that draws a PDF. @returns null where it is not built */
export const sendPdfFrame = (reply: FastifyReply, build: string): FastifyReply | null =>
  sendBuilt(reply, build, 'pdf/frame.html', {
    'cache-control': 'no-store',
    'content-security-policy': PDF_POLICY,
    'referrer-policy': 'no-referrer',
  });

/** It asks this origin alone, and loads nothing: its one file is whole. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'";

/** Sends the service worker; its scope is its folder, `/console/`. @returns null without a build */
export const sendWorker = (reply: FastifyReply, build: string): FastifyReply | null => {
  const script = builtScript('told/worker.ts', build);
  if (script === null) return null;
  const headers = { 'cache-control': 'no-cache', 'content-security-policy': WORKER_POLICY };
  return sendBuilt(reply, build, script.replace(/^\/console\//, ''), headers);
};
