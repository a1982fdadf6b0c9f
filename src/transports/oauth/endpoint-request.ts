/** Prepares a request for oidc-provider: its body read and bounded, its cookies and query normalised. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { FIRST_SCOPES, readTokenScopes } from '../../access/oauth-scopes.ts';
import { OFFLINE_ACCESS } from '../../kernel/caller.ts';
import { toAudience } from './metadata.ts';
import { ROUTES } from './oauth-paths.ts';

/** Parameters of an authorization request; further ones are left out. The library looks through all of them for each. */
const MAX_PARAMETERS = 100;

/** Acts as an IncomingMessage with the body that was read, and with the audience as its resources. */
export const toEndpointRequest = (
  request: FastifyRequest,
  received: Buffer | undefined,
  publicUrl: URL,
  audience: string,
): IncomingMessage => {
  const { raw } = request;
  const body = received && raw.url === ROUTES.token ? toTokenBody(received, audience) : received;
  const stream = Readable.from(body && body.length > 0 ? [body] : [], { objectMode: false });
  const { 'transfer-encoding': _chunked, expect: _expect, ...given } = raw.headers;
  const headers: IncomingHttpHeaders = {
    ...given,
    host: publicUrl.host,
    // The public URL counts, whichever proxy is in front.
    'x-forwarded-proto': publicUrl.protocol.slice(0, -1),
    'x-forwarded-host': publicUrl.host,
    ...(body && { 'content-length': String(body.length) }),
  };
  return Object.assign(stream, {
    headers,
    method: raw.method,
    url: toEndpointUrl(raw.url ?? '/', audience),
    httpVersion: raw.httpVersion,
    httpVersionMajor: raw.httpVersionMajor,
    socket: raw.socket,
  }) as unknown as IncomingMessage;
};

/** Parameters of OpenID Connect, which is not spoken here: unknown ones are ignored (RFC 6749 section 3.1). */
const OF_OPENID = ['acr_values', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/**
 * An authorization request always asks its owner (`prompt=consent`, which refresh tokens require) and is answered in
 * the query. It has only known scopes (RFC 6749 section 3.3), and the first scopes where it names none. Many clients
 * never ask for `offline_access`: the owner decides on it for each one that can refresh.
 */
const toEndpointUrl = (url: string, audience: string): string => {
  // A query may contain further question marks (RFC 3986 section 3.4).
  const [path = '/', ...query] = url.split('?');
  // No other endpoint has parameters in its query.
  if (path !== ROUTES.authorization) return path;
  const params = new URLSearchParams([...new URLSearchParams(query.join('?'))].slice(0, MAX_PARAMETERS));
  nameAudience(params, audience);
  for (const name of OF_OPENID) params.delete(name);
  // Repeated parameters stay, and are refused.
  if (params.getAll('prompt').length < 2 && params.get('prompt') !== 'none') params.set('prompt', 'consent');
  if (params.getAll('scope').length < 2) {
    const known = readTokenScopes(params.get('scope'));
    params.set('scope', [...(known.length > 0 ? known : FIRST_SCOPES), OFFLINE_ACCESS].join(' '));
  }
  if (params.has('response_mode') && params.get('response_mode') !== 'query')
    params.set('response_mode', 'unsupported');
  return `${path}?${params}`;
};

/**
 * A refresh has the scopes that the owner granted. mcp-remote and LibreChat ask again for those that they asked for at
 * first, of which the owner may have left some out; the library refuses that (RFC 6749 section 3.3: what is asked for
 * may be ignored).
 */
const toTokenBody = (body: Buffer, audience: string): Buffer => {
  const params = new URLSearchParams(body.toString());
  const isRefresh = params.get('grant_type') === 'refresh_token';
  if (!params.has('resource') && !(isRefresh && params.has('scope'))) return body;
  if (isRefresh) params.delete('scope');
  nameAudience(params, audience);
  return Buffer.from(params.toString());
};

const nameAudience = (params: URLSearchParams, audience: string): void => {
  const named = params.getAll('resource');
  params.delete('resource');
  for (const resource of named) params.append('resource', toAudience(resource, audience));
};
