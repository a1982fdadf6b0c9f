/** The authorization server: oidc-provider, with unused features off. */

import { generateKeyPairSync, timingSafeEqual } from 'node:crypto';
import Provider, { type Client, errors, interactionPolicy, type KoaContext } from 'oidc-provider';
import { OAUTH_SCOPES } from '../../access/oauth-scopes.ts';
import { OFFLINE_ACCESS, SCOPES } from '../../kernel/caller.ts';
import type { SendGuarded } from '../../net/http/guarded-client.ts';
import { consentPath } from '../pages/session-cookie.ts';
import { type AdapterNeeds, createAdapters, hashClientSecret } from './adapter.ts';
import {
  AUTH_METHODS,
  type ClientMetadata,
  checkClientMetadata,
  GRANT_TYPES,
  isRegisteredRedirect,
} from './client-metadata.ts';
import { createFetchDocument, MAX_DOCUMENT_BYTES } from './fetch-document.ts';
import { ROUTES } from './oauth-paths.ts';

export interface ProviderNeeds extends AdapterNeeds {
  /** The MCP endpoint's URL: the audience of every token. */
  audience: string;
  request: SendGuarded;
  /** Whether a request may fetch one more document. */
  mayFetch: (context: KoaContext) => boolean;
  /** Renders a page for a request that cannot be answered by a redirect. */
  renderError: (context: KoaContext, code: string) => void;
  onError: (error: unknown) => void;
}

const SECONDS = { code: 60, access: 3_600, refresh: 30 * 86_400, interaction: 3_600, grant: 3_650 * 86_400 };

const OFF = { enabled: false };

/** The cookie of oidc-provider's session, which is not kept. */
const NO_SESSION = 'postroom_none';

const isTokenAnswer = (body: unknown): body is { scope: string; refresh_token?: string } =>
  typeof body === 'object' && body !== null && 'access_token' in body && 'scope' in body;

/** Tokens are opaque, and nothing is signed. This key replaces oidc-provider's default, which is public. */
const newKeys = () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA' }] };
};

/** Every request needs consent on the page, despite earlier grants; the owner signs in there. */
const consent = new interactionPolicy.Prompt(
  { name: 'consent', requestable: true },
  new interactionPolicy.Check(
    'approval',
    'the owner has to approve',
    ({ oidc }) => oidc.result?.consent === undefined || oidc.result.login === undefined,
  ),
);

export const createProvider = (needs: ProviderNeeds): Provider => {
  const { publicUrl, audience, onError } = needs;
  const cookie = { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') };
  const resourceServer = {
    scope: SCOPES.join(' '),
    audience,
    accessTokenTTL: SECONDS.access,
    accessTokenFormat: 'opaque',
  };
  const provider = new Provider(publicUrl, {
    adapter: createAdapters(needs, audience),
    jwks: newKeys(),
    routes: ROUTES,
    scopes: OAUTH_SCOPES,
    responseTypes: ['code'],
    clientAuthMethods: AUTH_METHODS,
    clientDefaults: { grant_types: GRANT_TYPES, id_token_signed_response_alg: 'EdDSA', application_type: null },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_context: unknown, _name: string, _value: unknown, metadata: ClientMetadata) =>
        checkClientMetadata(metadata),
    },
    pkce: { required: () => true },
    features: {
      devInteractions: OFF,
      dPoP: OFF,
      pushedAuthorizationRequests: OFF,
      rpInitiatedLogout: OFF,
      userinfo: OFF,
      registration: { enabled: true, issueRegistrationAccessToken: false },
      // RFC 7009 section 2.1: a request for another client's token has no effect, and no different answer.
      revocation: {
        enabled: true,
        allowedPolicy: async (_context: KoaContext, client: Client, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: async (context: KoaContext) => needs.mayFetch(context),
        cacheDuration: { min: 300, max: 86_400 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: KoaContext, resource: string) => {
          if (resource === audience) return resourceServer;
          throw new errors.InvalidTarget();
        },
      },
    },
    fetch: createFetchDocument(needs.request),
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
    cookies: {
      names: { session: NO_SESSION, interaction: 'postroom_approval', resume: 'postroom_resume' },
      short: cookie,
      long: cookie,
    },
    ttl: {
      AuthorizationCode: SECONDS.code,
      AccessToken: SECONDS.access,
      RefreshToken: SECONDS.refresh,
      Interaction: SECONDS.interaction,
      Session: SECONDS.interaction,
      Grant: SECONDS.grant,
      IdToken: SECONDS.access,
    },
    interactions: {
      policy: [consent],
      url: (_context: KoaContext, { uid }: { uid: string }) => consentPath(uid),
    },
    loadExistingGrant: async ({ oidc }: KoaContext) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    findAccount: (_context: KoaContext, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_context: KoaContext, client: Client, { scopes }: { scopes: Set<string> }) =>
      client.grantTypeAllowed('refresh_token') && scopes.has(OFFLINE_ACCESS),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    // Endpoints that other origins may call use no cookie.
    clientBasedCORS: () => true,
    renderError: (context: KoaContext, { error }: { error: string }) => needs.renderError(context, error),
  });
  provider.use(async (context, next) => {
    await next();
    const { body } = context;
    // RFC 6749 section 5.1: the scope is the granted one; oidc-provider returns the resource's scopes only.
    if (isTokenAnswer(body) && body.refresh_token !== undefined) body.scope = `${body.scope} ${OFFLINE_ACCESS}`.trim();
    // The console has the session.
    const cookies = [context.response.headers['set-cookie'] ?? []].flat();
    const kept = cookies.filter((cookie) => !cookie.startsWith(NO_SESSION));
    if (kept.length < cookies.length) context.set('set-cookie', kept);
  });
  // The mount sets the protocol header (endpoint-request.ts).
  provider.proxy = true;
  provider.silent = true;
  provider.on('server_error', (_context: KoaContext, error: unknown) => onError(error));
  // A client that disconnects before the answer is no fault: Koa passes on its socket's error.
  provider.on('error', (error: unknown, context?: KoaContext) => {
    if (context === undefined || context.req.socket.errored !== error) onError(error);
  });
  const { prototype } = provider.Client;
  prototype.redirectUriAllowed = function (this: Client, value) {
    return typeof value === 'string' && isRegisteredRedirect(value, this.redirectUris);
  };
  prototype.compareClientSecret = function (this: Client, actual) {
    const [stored, given] = [Buffer.from(this.clientSecret ?? ''), Buffer.from(hashClientSecret(actual))];
    return stored.length === given.length && timingSafeEqual(stored, given);
  };
  return provider;
};
