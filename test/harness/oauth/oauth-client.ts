/** An OAuth client and its user's browser, spoken by hand: for what the official clients do not say. */

import { createHash, randomBytes } from 'node:crypto';
import { contracts } from '../../../src/resources/contracts.ts';
import type { TestInstance } from '../instance.ts';
import { asOperator } from '../operator.ts';

export const OWNER = 'owner@remote.test';
export const REDIRECT = 'https://client.example/callback';

/** A person's browser with its cookies, which follows no redirect by itself. */
export interface Person {
  cookies: Map<string, string>;
  get(url: string): Promise<Response>;
  post(url: string, fields: URLSearchParams, headers?: Record<string, string>): Promise<Response>;
}

export const createPerson = ({ baseUrl }: Pick<TestInstance, 'baseUrl'>): Person => {
  /** By path and name: a cookie goes to the paths below its own. */
  const cookies = new Map<string, string>();
  const request = async (url: string, init: RequestInit): Promise<Response> => {
    const at = new URL(url, baseUrl);
    const headers = new Headers(init.headers);
    const mine = [...cookies].flatMap(([key, value]) => {
      const [path = '/', name] = key.split(' ');
      return at.pathname.startsWith(path) ? [`${name}=${value}`] : [];
    });
    if (mine.length > 0) headers.set('cookie', mine.join('; '));
    const response = await fetch(at, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split(/; */);
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
      const isOver = attributes.some((each) => /^max-age=0$/i.test(each) || /1970/.test(each));
      if (isOver) cookies.delete(`${path} ${name}`);
      else cookies.set(`${path} ${name}`, value);
    }
    return response;
  };
  return {
    cookies,
    get: (url) => request(url, { headers: { 'sec-fetch-site': 'none' } }),
    post: (url, body, headers = {}) =>
      request(url, {
        method: 'POST',
        headers: { origin: 'null', 'sec-fetch-site': 'same-origin', ...headers },
        body,
      }),
  };
};

/** A person signed in by a printed link. */
export const signIn = async (
  instance: TestInstance,
  person = createPerson(instance),
  email = OWNER,
): Promise<Person> => {
  const { url } = await asOperator(instance, (call) => call(contracts.owners.addSignInLink, { email }));
  const answer = await person.post(url, new URLSearchParams());
  if (answer.status !== 303) throw new Error(`The sign-in was answered ${answer.status}.`);
  return person;
};

export const register = async (
  { baseUrl }: Pick<TestInstance, 'baseUrl'>,
  more: Record<string, unknown> = {},
): Promise<{ status: number; body: Record<string, unknown>; clientId: string }> => {
  const response = await fetch(new URL('/oauth/register', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Desk Companion',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      ...more,
    }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, clientId: String(body.client_id) };
};

export interface Pkce {
  verifier: string;
  challenge: string;
}

export const newPkce = (): Pkce => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const authorizeUrl = (
  clientId: string,
  { challenge }: Pkce,
  more: Record<string, string | null> = {},
): string => {
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: REDIRECT, response_type: 'code', state: 'state-1' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    scope: 'mail:read mail:send contacts notes vault manage offline_access',
  });
  for (const [name, value] of Object.entries(more)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `/oauth/authorize?${query}`;
};

export const locationOf = (response: Response): URL => {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`No redirect: ${response.status}`);
  return new URL(location, response.url);
};

/** The approval page that a request leads to. */
export const openApproval = async (
  person: Person,
  url: string,
): Promise<{ path: string; html: string; page: Response }> => {
  const path = locationOf(await person.get(url)).pathname;
  const page = await person.get(path);
  return { path, html: await page.clone().text(), page };
};

const findIn = (html: string, form: RegExp): string => form.exec(html)?.[1] ?? '';
export const formTokenIn = (html: string): string => findIn(html, /name="form" value="([^"]+)"/);
export const agentIdIn = (html: string, handle: string): string =>
  findIn(html, new RegExp(`name="agent" value="([^"]+)" id="agent-${handle}"`));

export interface Decision {
  scopes?: readonly string[];
  /** Handles, or `*`. */
  agents?: readonly string[];
  /** Ticks the whole workspace. */
  isWide?: boolean;
  decision?: 'connect' | 'refuse';
}

const ALL = ['mail:read', 'mail:send', 'contacts', 'notes', 'vault', 'manage', 'offline_access'];

/** @returns where the answer goes */
export const decide = async (
  person: Person,
  { path, html }: { path: string; html: string },
  { scopes = ALL, agents = ['ann'], isWide = false, decision = 'connect' }: Decision = {},
): Promise<URL> => {
  const form = new URLSearchParams({ form: formTokenIn(html), decision });
  for (const scope of scopes) form.append('scope', scope);
  if (isWide) form.append('reach', 'workspace');
  for (const handle of agents) form.append('agent', handle === '*' ? '*' : agentIdIn(html, handle));
  const decided = locationOf(await person.post(path, form));
  return locationOf(await person.get(decided.href));
};

export interface TokenAnswer {
  status: number;
  body: Record<string, unknown> & { access_token?: string; refresh_token?: string; scope?: string; error?: string };
}

export const postForm = async (
  { baseUrl }: Pick<TestInstance, 'baseUrl'>,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> => {
  const response = await fetch(new URL(path, baseUrl), { method: 'POST', headers, body: new URLSearchParams(fields) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as TokenAnswer['body']) };
};

export const exchange = (
  instance: Pick<TestInstance, 'baseUrl'>,
  clientId: string,
  code: string,
  { verifier }: Pkce,
  more: Record<string, string> = {},
): Promise<TokenAnswer> =>
  postForm(instance, '/oauth/token', {
    ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
    ...{ redirect_uri: REDIRECT, ...more },
  });

export const refresh = (
  instance: Pick<TestInstance, 'baseUrl'>,
  clientId: string,
  token: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> =>
  postForm(instance, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
    ...more,
  });

/** A code that the owner has approved. */
export const obtainCode = async (
  person: Person,
  clientId: string,
  { decision = {}, query = {} }: { decision?: Decision; query?: Record<string, string | null> } = {},
): Promise<{ code: string; pkce: Pkce; answer: URL }> => {
  const pkce = newPkce();
  const answer = await decide(person, await openApproval(person, authorizeUrl(clientId, pkce, query)), decision);
  return { code: answer.searchParams.get('code') ?? '', pkce, answer };
};

export interface Connected {
  clientId: string;
  accessToken: string;
  refreshToken: string;
  scope: string;
}

/** From registration to tokens. */
export const connect = async (
  instance: TestInstance,
  { person, ...asked }: { person?: Person; decision?: Decision; query?: Record<string, string | null> } = {},
): Promise<Connected> => {
  const { clientId } = await register(instance);
  const { code, pkce } = await obtainCode(person ?? (await signIn(instance)), clientId, asked);
  const { body } = await exchange(instance, clientId, code, pkce);
  const { access_token: accessToken = '', refresh_token: refreshToken = '', scope = '' } = body;
  return { clientId, accessToken, refreshToken, scope };
};
