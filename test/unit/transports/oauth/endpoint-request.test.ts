import type { FastifyRequest } from 'fastify';
import t from 'tap';
import { toEndpointRequest } from '../../../../src/transports/oauth/endpoint-request.ts';
import { ROUTES } from '../../../../src/transports/oauth/oauth-paths.ts';

const BASE = new URL('https://box.test');
const urlOf = (url: string): URL => {
  const request = { raw: { url, method: 'GET', headers: {} } } as unknown as FastifyRequest;
  return new URL(toEndpointRequest(request, undefined, BASE, 'https://box.test/mcp').url ?? '', BASE);
};

t.test('an authorization request has at most 100 parameters of its sender, other requests have none', async (t) => {
  const { searchParams } = urlOf(`${ROUTES.authorization}?client_id=x&${'a=&'.repeat(4_000)}state=late`);
  t.equal(searchParams.get('client_id'), 'x');
  t.equal(searchParams.getAll('a').length, 99);
  t.same([...new Set(searchParams.keys())], ['client_id', 'a', 'prompt', 'scope']);
  t.equal(urlOf(`${ROUTES.jwks}?${'a=&'.repeat(4_000)}`).href, `${BASE.origin}${ROUTES.jwks}`);
});

t.test('what is of OpenID Connect alone is ignored', async (t) => {
  const asked =
    'client_id=x&state=s&scope=openid+mail:read&nonce=n&max_age=0&acr_values=a&id_token_hint=h&claims_locales=c';
  t.same(Object.fromEntries(urlOf(`${ROUTES.authorization}?${asked}`).searchParams), {
    ...{ client_id: 'x', state: 's', prompt: 'consent' },
    scope: 'mail:read offline_access',
  });
});
