/** What every page for owners is answered with, and the form requests that it sends. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, hintOf } from '../../kernel/errors.ts';
import { isFault, toApiError } from '../http/error-reply.ts';
import { builtScript } from './built-files.ts';
import { formatPage, html, type PageContent } from './html.ts';

/**
 * Nothing is run, nothing is loaded but the one style sheet and the icon; forms go to this origin alone.
 * @param formSource where the answer to a form may redirect as well: browsers hold its redirects to `form-action`
 */
const policy = (formSource = ''): string =>
  `default-src 'none'; style-src 'self'; form-action 'self'${formSource && ` ${formSource}`}; base-uri 'none'; frame-ancestors 'none'; img-src 'self'`;
/** Of a page with the doors' script, which is a file of this origin. */
const SCRIPT_POLICY = `${policy()}; script-src 'self'; connect-src 'self'`;

/** Of a form with one address. */
export const FORM_LIMIT = 4 * 1024;

/** A link's secret stands in the path of its page: no cache keeps it, no other site is told it. */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': policy(),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export type SendPage = (reply: FastifyReply, status: number, page: PageContent) => FastifyReply;

export const createSendPage =
  (hostname: string): SendPage =>
  (reply, status, page) => {
    reply.code(status).headers(pageHeaders);
    const script = page.hasScript ? builtScript('door/door.ts') : null;
    if (script !== null) reply.header('content-security-policy', SCRIPT_POLICY);
    return reply.type('text/html; charset=utf-8').send(formatPage(page, hostname, script));
  };

/** A page whose form ends in a redirect to another origin, in a window that the other origin may have opened to be told. */
export const createSendOpenedPage =
  (hostname: string) =>
  (reply: FastifyReply, status: number, page: PageContent, formSource: string): FastifyReply =>
    createSendPage(hostname)(reply, status, page)
      .header('content-security-policy', policy(formSource))
      .header('cross-origin-opener-policy', 'unsafe-none');

/** To another page, by GET. */
export const redirect = (reply: FastifyReply, path: string): FastifyReply =>
  reply.headers(pageHeaders).redirect(path, 303);

const TITLES: Readonly<Record<number, string>> = {
  403: 'This did not come from here',
  404: 'There is no such page',
  429: 'Too many requests',
  503: 'Busy',
};

/** For hints that speak of a header, which nobody sees who opens a page. */
const OWN_WORDS = new Map([
  [hintOf('rate_limited'), 'Too many requests came from your network. Wait a minute, then load the page again.'],
]);

/** A refusal, for whoever opened a page. */
export const refusalPage = ({ status, hint }: ApiError): PageContent => ({
  title: TITLES[status] ?? (status >= 500 ? 'Something went wrong here' : 'This did not work'),
  main: html`<p>${OWN_WORDS.get(hint) ?? hint}</p>`,
});

/** Errors of the pages of a scope are pages too. */
export const answerErrorsAsPages = (
  scope: FastifyInstance,
  sendPage: SendPage,
  onError: (error: unknown, request: FastifyRequest) => void,
): void => {
  scope.setErrorHandler((error, request, reply) => {
    const refusal = toApiError(error);
    if (isFault(refusal)) onError(error, request);
    return sendPage(reply.headers(refusal.headers), refusal.status, refusalPage(refusal));
  });
};

export type FormFields = Readonly<Record<string, string>>;

/** Forms, and nothing else. */
export const readForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT },
    async (_request: FastifyRequest, body: string): Promise<FormFields> =>
      Object.fromEntries(new URLSearchParams(body)),
  );
};

/**
 * Refuses a form that another site had a browser send. Browsers tell by Sec-Fetch-Site; those that do not know it, by Origin,
 * which a page with the Referrer-Policy of these gives as `null`.
 * @throws ApiError origin_not_allowed
 */
export const requireOwnForm = ({ headers }: FastifyRequest, publicOrigin: string): void => {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== publicOrigin;
  if (!isForeignSite && (!isForeignOrigin || site === 'same-origin')) return;
  throw new ApiError('origin_not_allowed', { hint: 'The form was sent by a page of another site. Nothing was done.' });
};
