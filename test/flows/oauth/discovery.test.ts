/** Discovery, what browsers of other origins may read, and client ID metadata documents. */

import t from 'tap';
import { startHttpReceiver } from '../../harness/http/http-receiver.ts';
import { HOOKS, trustReceivers } from '../../harness/http/webhooks.ts';
import { startInstance } from '../../harness/instance.ts';
import { initialize, mcpRequest } from '../../harness/mcp/mcp-request.ts';
import { authorizeUrl, exchange, newPkce, obtainCode, openApproval, signIn } from '../../harness/oauth/oauth-client.ts';

t.test('both documents, the challenge that leads to them, and CORS', async (t) => {
  await using instance = await startInstance();
  const { baseUrl } = instance;
  const read = async (path: string) => (await fetch(new URL(path, baseUrl))).json() as Promise<Record<string, unknown>>;
  const server = await read('/.well-known/oauth-authorization-server');
  t.match(server, {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    jwks_uri: `${baseUrl}/oauth/jwks`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  t.same(server.scopes_supported, ['mail:read', 'mail:send', 'contacts', 'notes', 'vault', 'manage', 'offline_access']);
  const resource = await read('/.well-known/oauth-protected-resource');
  t.match(resource, { resource: `${baseUrl}/mcp`, authorization_servers: [baseUrl] });
  t.same(await read('/.well-known/oauth-protected-resource/mcp'), resource);
  t.match(await read('/oauth/jwks'), { keys: [{ kty: 'OKP', d: undefined }] });

  // RFC 9728 section 3.3: the resource is named by the URL that the client was given.
  const core = '?tools=core';
  t.match(await read(`/.well-known/oauth-protected-resource/mcp${core}`), { resource: `${baseUrl}/mcp${core}` });
  t.same(await read('/.well-known/oauth-protected-resource/mcp?x="'), resource);
  const atCore = await fetch(new URL(`/mcp${core}`, baseUrl), { method: 'POST' });
  t.match(atCore.headers.get('www-authenticate'), `/.well-known/oauth-protected-resource/mcp${core}"`);

  t.match(await read(`/.well-known/oauth-protected-resource/mcp/${core}`), { resource: `${baseUrl}/mcp/${core}` });
  const withSlash = await fetch(new URL('/mcp/', baseUrl), { method: 'POST' });
  t.match(withSlash.headers.get('www-authenticate'), '/.well-known/oauth-protected-resource/mcp/"');

  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`;
  const scope = 'scope="mail:read mail:send contacts notes"';
  for (const [key, expected] of [
    [null, `Bearer ${scope}, ${metadata}`],
    [{ key: 'nonsense' }, `Bearer error="invalid_token", ${scope}, ${metadata}`],
    [{ key: `svc_${'A'.repeat(43)}` }, `Bearer error="invalid_token", ${scope}, ${metadata}`],
  ] as const) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status, headers } = await mcpRequest(instance, key, { method });
      t.same([status, headers['www-authenticate']], [401, expected]);
    }
  }
  t.match((await initialize(instance, null)).body, /OAuth.*API key/, 'both ways are told');
  t.equal((await initialize(instance, instance.agents.ann)).headers['www-authenticate'], undefined);

  const origin = { origin: 'https://client.example' };
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/register',
    '/oauth/token',
    '/oauth/revoke',
  ]) {
    const preflight = await fetch(new URL(path, baseUrl), {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    t.ok(preflight.ok, path);
    t.match(preflight.headers.get('access-control-allow-origin'), /^(\*|https:\/\/client\.example)$/);
    t.match(preflight.headers.get('access-control-allow-headers'), 'content-type');
    t.equal(preflight.headers.get('access-control-allow-credentials'), null);
  }
  const token = await fetch(new URL('/oauth/token', baseUrl), {
    method: 'POST',
    headers: origin,
    body: new URLSearchParams({ grant_type: 'x' }),
  });
  t.same([token.status, token.headers.get('access-control-allow-origin')], [400, 'https://client.example']);
  t.match(await token.json(), { error: /./ });
  const approve = await fetch(new URL('/oauth/authorize', baseUrl), { headers: origin });
  t.equal(approve.headers.get('access-control-allow-origin'), null, 'a page is read by no other origin');
  t.same(instance.faults, []);
});

t.test('a client is known by the document at its id', async (t) => {
  await using host = await startHttpReceiver(HOOKS);
  const base = `https://${HOOKS}:${host.port}`;
  const documents: Record<string, (id: string) => unknown> = {
    '/client': (client_id) => ({
      ...{ client_id, client_name: 'Documented', redirect_uris: ['https://client.example/callback'] },
      ...{ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
    }),
    '/other': () => ({ client_id: `${base}/client`, redirect_uris: ['https://client.example/callback'] }),
    '/secret': (client_id) => ({ client_id, client_secret: 'x', redirect_uris: ['https://client.example/callback'] }),
    '/script': (client_id) => ({
      client_id,
      token_endpoint_auth_method: 'none',
      redirect_uris: ['javascript:alert(1)'],
    }),
    '/text': () => null,
    // As ChatGPT's and Claude's.
    '/keyed': (client_id) => ({
      ...{
        client_id,
        redirect_uris: ['https://client.example/callback'],
        token_endpoint_auth_method: 'private_key_jwt',
      },
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      ...{ token_endpoint_auth_signing_alg: 'RS256', jwks_uri: `${base}/keys` },
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    }),
  };
  host.answer(({ path }, response) => {
    if (path === '/moved') response.writeHead(302, { location: '/client' }).end();
    else if (path === '/huge') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (response.write(chunk));
        response.once('drain', write);
      };
      write();
    } else if (path in documents) {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=3600' });
      response.end(path === '/text' ? 'no JSON' : JSON.stringify(documents[path]?.(`${base}${path}`)));
    } else response.writeHead(404).end();
  });
  await using instance = await startInstance({ network: trustReceivers() });
  instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
  const person = await signIn(instance);
  const clientId = `${base}/client`;
  const { html } = await openApproval(person, authorizeUrl(clientId, newPkce()));
  t.match(html, 'Documented');
  t.match(html, `It is described at <code>${HOOKS}:${host.port}</code>`);
  const { code, pkce } = await obtainCode(person, clientId);
  const tokens = await exchange(instance, clientId, code, pkce);
  t.equal(tokens.status, 200);
  t.equal((await initialize(instance, { key: tokens.body.access_token ?? '' })).status, 200);
  t.equal(host.requests.filter(({ path }) => path === '/client').length, 1, 'fetched once');

  const keyed = await obtainCode(person, `${base}/keyed`);
  const { status, body } = await exchange(instance, `${base}/keyed`, keyed.code, keyed.pkce);
  t.same([status, typeof body.refresh_token], [200, 'string'], 'it does without its key');
  t.notOk(host.requests.some(({ path }) => path === '/keys'));

  for (const path of ['/other', '/secret', '/script', '/text', '/moved', '/huge', '/missing']) {
    const response = await person.get(authorizeUrl(`${base}${path}`, newPkce()));
    t.same([response.status >= 400, response.headers.get('location')], [true, null], path);
  }
  t.equal(host.requests.filter(({ path }) => path === '/client').length, 1, 'no redirect is followed');
  const moved = authorizeUrl(clientId, newPkce(), { redirect_uri: 'https://evil.example/callback' });
  t.equal((await person.get(moved)).headers.get('location'), null, 'redirects as the document says');
  t.same(instance.faults, []);
});

t.test('no document is fetched from a private address', async (t) => {
  await using host = await startHttpReceiver(HOOKS);
  await using instance = await startInstance({ network: trustReceivers() });
  instance.dns.zone.set(HOOKS, 'A', ['10.1.2.3']);
  instance.dns.zone.set('linklocal.test', 'A', ['169.254.169.254']);
  const person = await signIn(instance);
  const ids = [
    `https://${HOOKS}:${host.port}/c`,
    'https://linklocal.test/c',
    'https://192.168.1.1/c',
    'https://[fd00::1]/c',
    `http://127.0.0.1:${host.port}/c`,
  ];
  for (const id of ids) {
    const response = await person.get(authorizeUrl(id, newPkce()));
    t.same([response.status >= 400, response.headers.get('location')], [true, null], id);
  }
  t.equal(host.connections, 0);
  t.same(instance.faults, []);
});
