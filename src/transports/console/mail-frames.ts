/**
 * `/console/frame/{noun}/{act}`: the HTML of a mail as a separate document, which the console shows in a sandboxed
 * frame. The HTML is sanitised, the policy refuses scripts, and remote images load only on the reader's request.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../../kernel/errors.ts';
import { linkEmbeddedImages } from '../../mail/html/embedded-images.ts';
import { frameShape } from '../../resources/agent-mail/contract.ts';
import { AS_SENT } from '../http/bodies.ts';
import { API, inputOfQuery, type OwnerCalls } from './operation-calls.ts';

const FRAME = '/console/frame';

type FramedMail = z.infer<typeof frameShape>;

/** Embedded images come from the noun's `attachment` operation, for the mail named in the query. */
const linkImages = (
  { html, embedded }: FramedMail,
  noun: string,
  { remote: _, ...query }: Record<string, string>,
): string => {
  const filenames = new Map(embedded.map(({ content_id, filename }) => [content_id.replace(/^<|>$/g, ''), filename]));
  return linkEmbeddedImages(html, (contentId) => {
    const filename = filenames.get(contentId);
    return filename === undefined ? null : `${API}/${noun}/attachment?${new URLSearchParams({ ...query, filename })}`;
  });
};

/** A link to a part of the mail stays in its frame: `base` opens a window for every other one. */
const keepInFrame = (html: string): string => html.replace(/<a(?= [^>]*\bhref="#)/g, '<a target="_self"');

/**
 * Same-origin, because embedded images need the cookie and the page measures the height; without `allow-scripts`
 * nothing in the frame can use either.
 */
const SANDBOX = 'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox';

const policyOf = (isRemote: boolean): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src 'self' data:${isRemote ? ' https: http:' : ''}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    SANDBOX,
  ].join('; ');

/** Mail that sets colours is designed for white paper; other mail takes the theme's colours. */
const SETS_COLOURS = /(?:\bbgcolor=|\b(?:color|background(?:-color)?)\s*[:=])/i;

/** Letters are laid out for 600 pixels: in a narrower frame, as on a phone, widths in pixels give way. */
const NARROW = `@media (max-width:600px){:is(table,td,th)[width]:not([width$="%"]),
:is(table,td,th,div)[style*="width"]:not([style*="%"]){width:auto!important;min-width:0!important}}`;

const stylesFor = (html: string, theme: string): string => {
  const isPlain = !SETS_COLOURS.test(html);
  const scheme = isPlain && theme !== 'light' ? (theme === 'dark' ? 'dark' : 'light dark') : 'light';
  return `:root{color-scheme:${scheme};font:400 14px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
background:${isPlain ? 'transparent' : '#fff'};color:light-dark(#1a2126,#edeeec);overflow-wrap:anywhere}
body{display:flow-root;margin:0;padding:${isPlain ? '0' : '12px'};max-width:${isPlain ? '68ch' : 'none'}}
a{color:light-dark(#075e79,#8fc6d8)}img{max-width:100%;height:auto}pre{white-space:pre-wrap}table{max-width:100%}
table:not([class],[style],[border]):has(>thead){border-collapse:collapse}
table:not([class],[style],[border]):has(>thead) :is(th,td){padding:4px 12px 4px 0;border-bottom:1px solid light-dark(#d8d9d6,#3f474c)}
blockquote{margin:0 0 0 2px;padding-left:12px;border-left:1px solid light-dark(#d8d9d6,#3f474c);color:light-dark(#4a5358,#b9c0c4)}
p:first-child{margin-top:0}
${NARROW}
details{margin:8px 0}summary{width:max-content;min-height:24px;font-size:12px;line-height:24px;cursor:pointer;list-style:none;
text-decoration:underline;text-underline-offset:.25em;color:light-dark(#4a5358,#b9c0c4)}summary::-webkit-details-marker{display:none}
summary:focus-visible{outline:2px solid light-dark(#075e79,#8fc6d8)}
@media print{:root{color-scheme:light}}`;
};

const THEMES = new Set(['light', 'dark', 'system']);

/** A refusal is a page that no other shows. Its reason is to stand in the frame: a mail may be decided before it is loaded. */
const letFrame = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy !== 'string') return;
  reply.header('content-security-policy', policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"));
};

export const registerMailFrames = (scope: FastifyInstance, calls: OwnerCalls): void => {
  scope.get<{ Params: { noun: string; act: string }; Querystring: Record<string, string> }>(
    `${FRAME}/:noun/:act`,
    { onRequest: calls.admit, onSend: letFrame },
    async (request, reply) => {
      const { theme = 'system', ...query } = request.query;
      if (!THEMES.has(theme)) throw new ApiError('invalid_request', { hint: '`theme` is light, dark or system.' });
      request.query = query;
      const bound = calls.find(request.params);
      // A link in a mail may lead here, with the owner's cookie: nothing else is run, and no sender has a whole window
      // at the console's address.
      const isFrame = (request.headers['sec-fetch-dest'] ?? 'iframe') === 'iframe';
      if (bound.operation.output !== frameShape || !isFrame) throw new ApiError('route_not_found');
      const answer = (await calls.run(request, reply, bound, inputOfQuery(bound, request))) as FramedMail;
      return reply
        .headers({
          'cache-control': AS_SENT,
          'content-security-policy': policyOf(answer.remote),
          'referrer-policy': 'no-referrer',
        })
        .type('text/html; charset=utf-8')
        .send(
          `<!doctype html><html lang="und"><head><meta charset="utf-8"><title>Mail</title><base target="_blank"><style>${stylesFor(answer.html, theme)}</style></head><body dir="auto">${keepInFrame(linkImages(answer, request.params.noun, query))}</body></html>`,
        );
    },
  );
};
