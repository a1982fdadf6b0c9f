/** Replies of all pages for owners, and the checks of their forms. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, hintOf } from '../../kernel/errors.ts';
import { nameBrowser } from '../../kernel/text/browser-name.ts';
import { LinkRefused, type MailedLink } from '../../resources/owners/sign-in.ts';
import { AS_SENT } from '../http/bodies.ts';
import { isFault, toApiError } from '../http/error-reply.ts';
import { builtScript } from './built-files.ts';
import { formatPage, html, type PageContent } from './html.ts';
import { type SessionCookie, SIGN_IN, SIGNED_IN } from './session-cookie.ts';

/** No script runs, and only the style sheet and the icon are loaded. */
const LOADS = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'";
/** For a page with the sign-in pages' script, a file of this origin. */
const SCRIPT = "; script-src 'self'; connect-src 'self'";
/** Forms go to this origin only. */
const FORMS = "; form-action 'self'";

/** Enough for a form with one address. */
export const FORM_LIMIT = 4 * 1024;

/**
 * The path may contain a link's secret: no cache stores it, and no other site receives it. Without
 * `cross-origin-opener-policy`: an application that opens the approval in a window would take it for closed.
 */
export const pageHeaders = {
  'cache-control': AS_SENT,
  'content-security-policy': LOADS + FORMS,
  'referrer-policy': 'no-referrer',
};

export type SendPage = (reply: FastifyReply, status: number, page: PageContent) => FastifyReply;

export const createSendPage =
  (hostname: string): SendPage =>
  (reply, status, page) => {
    reply.code(status).headers(pageHeaders);
    const script = page.hasScript ? builtScript('sign-in/sign-in-script.ts') : null;
    if (script !== null) reply.header('content-security-policy', LOADS + FORMS + SCRIPT);
    return reply.type('text/html; charset=utf-8').send(formatPage(page, hostname, script));
  };

/**
 * For a page with a form that ends in a redirect to another origin. Without `form-action`: Chromium applies it to each
 * redirect that follows, and those of another origin are not known.
 */
export const createSendOpenedPage =
  (hostname: string): SendPage =>
  (reply, status, page) =>
    createSendPage(hostname)(reply, status, page).header(
      'content-security-policy',
      page.hasScript ? LOADS + SCRIPT : LOADS,
    );

/** Redirects to another page, by GET. */
export const redirect = (reply: FastifyReply, path: string): FastifyReply =>
  reply.headers(pageHeaders).redirect(path, 303);

/** The status and the page that say why a link does nothing, by the fault. */
export type FaultPages<F extends string> = Readonly<Record<F, readonly [status: number, page: PageContent]>>;

interface LinkPage<View, F extends string> {
  path: `${string}/:token`;
  link: MailedLink<View>;
  /** What the link does, with the button. */
  offer(view: View): PageContent;
  faults: FaultPages<F>;
}

/** The page of a mailed link: a GET changes nothing, the POST of its button uses it. */
export const registerLinkPage = <View, F extends string>(
  scope: FastifyInstance,
  { cookie, sendPage }: { cookie: Pick<SessionCookie, 'set'>; sendPage: SendPage },
  { path, link, offer, faults }: LinkPage<View, F>,
): void => {
  const sendFault = (reply: FastifyReply, error: unknown): FastifyReply => {
    if (!(error instanceof LinkRefused)) throw error;
    const [status, page] = faults[error.fault as F];
    return sendPage(reply, status, page);
  };
  scope.get<{ Params: { token: string } }>(path, { exposeHeadRoute: true }, async ({ params }, reply) => {
    try {
      return sendPage(reply, 200, offer(await link.find(params.token)));
    } catch (error) {
      return sendFault(reply, error);
    }
  });
  scope.post<{ Params: { token: string } }>(path, async (request, reply) => {
    try {
      const session = await link.use(request.params.token, nameBrowser(request.headers['user-agent']));
      return session === null ? redirect(reply, SIGN_IN) : redirect(cookie.set(reply, session), SIGNED_IN);
    } catch (error) {
      return sendFault(reply, error);
    }
  });
};

const TITLES: Readonly<Record<number, string>> = {
  403: 'This did not come from here',
  404: 'There is no such page',
  429: 'Too many requests',
  503: 'Busy',
};

/** Replaces hints that mention a header, which a page's reader cannot see. */
const OWN_WORDS = new Map([
  [hintOf('rate_limited'), 'Too many requests came from your network. Wait a minute, then load the page again.'],
]);

export const refusalPage = ({ status, hint }: ApiError): PageContent => ({
  title: TITLES[status] ?? (status >= 500 ? 'Something went wrong here' : 'This did not work'),
  main: html`<p>${OWN_WORDS.get(hint) ?? hint}</p>`,
});

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

/** Accepts only form bodies. */
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
 * Refuses a form that another site submitted. Browsers name the site in Sec-Fetch-Site; older ones in Origin, which is
 * `null` under the Referrer-Policy of these pages.
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
