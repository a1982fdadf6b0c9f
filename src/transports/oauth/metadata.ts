/** Discovery: what the authorization server is (RFC 8414), and which one protects the MCP endpoint (RFC 9728). */

import { FIRST_SCOPES, OAUTH_SCOPES } from '../../access/oauth-scopes.ts';
import { SCOPES } from '../../kernel/caller.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { AUTH_METHODS, GRANT_TYPES } from './client-metadata.ts';
import { ROUTES } from './oauth-paths.ts';

export const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';
/** RFC 9728 section 3.1 puts it before the resource's own path. */
export const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource';

/** The issuer is an origin, so that the metadata's path is the well-known one alone. */
export const authorizationServerMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${ROUTES.authorization}`,
  token_endpoint: `${issuer}${ROUTES.token}`,
  registration_endpoint: `${issuer}${ROUTES.registration}`,
  revocation_endpoint: `${issuer}${ROUTES.revocation}`,
  jwks_uri: `${issuer}${ROUTES.jwks}`,
  scopes_supported: OAUTH_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs/oauth`,
});

/**
 * What a URL has behind that of the MCP endpoint: a slash, and a query that names tool sets. Clients compare the URL that
 * their user typed, and many end it with a slash, with that of the metadata (RFC 9728 section 3.3).
 */
export const resourceSuffix = (url: string): string => {
  const [, slash = '', query = ''] = /(?:\/mcp(\/))?(\?tools=[\w,%]{1,200})?$/.exec(url) ?? [];
  return `${slash}${query}`;
};

/** Maps a client's resource URL to the one audience. */
export const toAudience = (resource: string, audience: string): string =>
  resource === `${audience}${resourceSuffix(resource)}` ? audience : resource;

/** @param resource the URL that the client was given */
export const protectedResourceMetadata = (issuer: string, resource: string) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Postroom',
  resource_documentation: `${issuer}/docs/oauth`,
});

/** The `WWW-Authenticate` of a 401 of the MCP endpoint (RFC 6750 section 3, RFC 9728 section 5.1). */
export const createChallenge =
  (issuer: string) =>
  ({ code }: Pick<ApiError, 'code'>, url: string): string => {
    const resource = `resource_metadata="${issuer}${PROTECTED_RESOURCE}/mcp${resourceSuffix(url)}"`;
    const error = code === 'unauthorized' ? '' : 'error="invalid_token", ';
    return `Bearer ${error}scope="${FIRST_SCOPES.join(' ')}", ${resource}`;
  };
