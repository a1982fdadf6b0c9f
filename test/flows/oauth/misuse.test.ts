/** What a thief, another client or another site tries with codes, tokens, redirects and registrations; each is refused. */

import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { initialize } from '../../harness/mcp/mcp-request.ts';
import {
  authorizeUrl,
  connect,
  createPerson,
  decide,
  exchange,
  formTokenIn,
  locationOf,
  newPkce,
  obtainCode,
  openApproval,
  type Person,
  REDIRECT,
  refresh,
  register,
  signIn,
} from '../../harness/oauth/oauth-client.ts';

let instance: TestInstance;
let person: Person;
let clientId = '';
t.before(async () => {
  instance = await startInstance();
  person = await signIn(instance);
  clientId = (await register(instance)).clientId;
});
t.teardown(async () => {
  await instance[Symbol.asyncDispose]();
});

const isAccepted = async (token = '') => (await initialize(instance, { key: token })).status === 200;
const GRANT_REFUSED = { status: 400, body: { error: 'invalid_grant' } };

t.test('a code is for its client, its redirect, its verifier, and once', async (t) => {
  const stolen = await obtainCode(person, clientId);
  t.match(await exchange(instance, clientId, stolen.code, newPkce()), GRANT_REFUSED, 'without the verifier');
  const { status, body } = await exchange(instance, clientId, stolen.code, { ...stolen.pkce, verifier: '' });
  t.same([status, body.access_token], [400, undefined], 'and with none');

  const other = (await register(instance)).clientId;
  const foreign = await obtainCode(person, clientId);
  t.match(await exchange(instance, other, foreign.code, foreign.pkce), GRANT_REFUSED, "another client's");
  const moved = await exchange(instance, clientId, foreign.code, foreign.pkce, { redirect_uri: `${REDIRECT}/other` });
  t.match(moved, GRANT_REFUSED, 'another redirect');

  const used = await obtainCode(person, clientId);
  const first = await exchange(instance, clientId, used.code, used.pkce);
  t.ok(await isAccepted(first.body.access_token));
  t.match(await exchange(instance, clientId, used.code, used.pkce), GRANT_REFUSED, 'used twice');
  t.notOk(await isAccepted(first.body.access_token), 'which ends what the first use gave');

  const raced = await obtainCode(person, clientId);
  const all = await Promise.all(Array.from({ length: 6 }, () => exchange(instance, clientId, raced.code, raced.pkce)));
  const granted = all.filter(({ status: each }) => each === 200);
  t.equal(granted.length, 1, 'at the same time as well');
  t.notOk(await isAccepted(granted[0]?.body.access_token), 'and its token is ended');
});

t.test('a refresh token that is used again ends the grant', async (t) => {
  const connected = await connect(instance, { person });
  const renewed = await refresh(instance, connected.clientId, connected.refreshToken);
  t.equal(renewed.status, 200);
  const other = (await register(instance)).clientId;
  t.match(await refresh(instance, other, renewed.body.refresh_token ?? ''), GRANT_REFUSED, "another client's");
  t.ok(await isAccepted(renewed.body.access_token), 'which ends nothing');
  t.match(await refresh(instance, connected.clientId, connected.refreshToken), GRANT_REFUSED);
  t.notOk(await isAccepted(renewed.body.access_token));
  t.match(await refresh(instance, connected.clientId, renewed.body.refresh_token ?? ''), GRANT_REFUSED);

  const widened = await connect(instance, { person, decision: { scopes: ['mail:read', 'offline_access'] } });
  const more = await refresh(instance, widened.clientId, widened.refreshToken, { scope: 'mail:read vault' });
  t.same([more.status, more.body.scope], [200, 'mail:read offline_access'], 'a refresh adds no scope');
});

t.test('a token is for the MCP endpoint of this instance', async (t) => {
  const elsewhere = { resource: 'https://other.example/mcp' };
  const refused = locationOf(await person.get(authorizeUrl(clientId, newPkce(), elsewhere)));
  t.equal(refused.origin + refused.pathname, REDIRECT);
  t.equal(refused.searchParams.get('error'), 'invalid_target');
  t.equal(refused.searchParams.get('iss'), instance.baseUrl);
  const { code, pkce } = await obtainCode(person, clientId, { query: { resource: `${instance.baseUrl}/mcp` } });
  t.match(await exchange(instance, clientId, code, pkce, elsewhere), {
    status: 400,
    body: { error: 'invalid_target' },
  });

  for (const query of ['?tools=core', '?tools=mail%2Ccontacts', '/', '/?tools=core']) {
    const core = { resource: `${instance.baseUrl}/mcp${query}` };
    const asked = await obtainCode(person, clientId, { query: core });
    const { body } = await exchange(instance, clientId, asked.code, asked.pkce, core);
    t.ok(await isAccepted(body.access_token), 'the endpoint by another URL is the same audience');
    t.equal((await refresh(instance, clientId, body.refresh_token ?? '', core)).status, 200);
  }
  for (const query of ['?tools=core&x=1', '?x=1', '/x?tools=core', '//', '?tools=core#x']) {
    const other = { resource: `${instance.baseUrl}/mcp${query}` };
    const answered = locationOf(await person.get(authorizeUrl(clientId, newPkce(), other)));
    t.match(answered.searchParams.get('error'), /^invalid_(?:target|request)$/, query);
  }

  await using moved = await startInstance();
  const { accessToken } = await connect(moved);
  t.equal((await initialize(moved, { key: accessToken })).status, 200);
  Object.assign(moved.config, { public_url: 'https://elsewhere.example' });
  await moved.restart();
  const { status, headers } = await initialize(moved, { key: accessToken });
  t.equal(status, 401, 'issued when the endpoint had another URL');
  t.match(headers['www-authenticate'], /error="invalid_token"/);
  t.notOk(await isAccepted(accessToken), "another instance's");
});

t.test('an authorization request is as OAuth 2.1 wants it', async (t) => {
  const back = async (more: Record<string, string | null>) =>
    locationOf(await person.get(authorizeUrl(clientId, newPkce(), more))).searchParams.get('error');
  t.equal(await back({ code_challenge: null, code_challenge_method: null }), 'invalid_request', 'no PKCE');
  t.equal(await back({ code_challenge_method: 'plain' }), 'invalid_request');
  const implicit = locationOf(await person.get(authorizeUrl(clientId, newPkce(), { response_type: 'token' })));
  t.match(implicit.hash, /error=unsupported_response_type/);
  t.equal(await back({ response_mode: 'form_post' }), 'unsupported_response_mode');
  t.match(await back({ prompt: 'none' }), /_required$/, 'nothing is approved without its owner');

  const unanswered = [
    authorizeUrl('nobody', newPkce()),
    authorizeUrl(clientId, newPkce(), { redirect_uri: 'https://evil.example/callback' }),
    authorizeUrl(clientId, newPkce(), { redirect_uri: `${REDIRECT}?x=1` }),
    authorizeUrl(clientId, newPkce(), { redirect_uri: `${REDIRECT}/../evil` }),
    authorizeUrl(clientId, newPkce(), { redirect_uri: 'javascript:alert(1)' }),
    authorizeUrl(clientId, newPkce(), { client_id: null }),
    `${authorizeUrl(clientId, newPkce())}&client_id=other`,
  ];
  for (const url of unanswered) {
    const response = await person.get(url);
    t.equal(response.headers.get('location'), null, 'a page, and no redirect');
    t.ok(response.status >= 400);
    t.match(response.headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/);
    t.match(await response.text(), /<h1>The application asked in a way that cannot be answered<\/h1>/);
  }
  // What an application keeps of a registration that has ended.
  const unknown = await (await person.get(authorizeUrl('nobody', newPkce()))).text();
  t.match(unknown, /does not know the application.*Remove the connection in\s+the application and add it again/s);
});

t.test('a request is answered once, also by two presses at the same time', async (t) => {
  const { path, html } = await openApproval(person, authorizeUrl(clientId, newPkce()));
  const count = () => instance.inStore(({ read }) => read.selectFrom('oauth_grants').select('id').execute());
  const before = (await count()).length;
  const form = new URLSearchParams({ form: formTokenIn(html), decision: 'connect', scope: 'mail:read', agent: '*' });
  const both = await Promise.all([person.post(path, form), person.post(path, form)]);
  t.same(both.map(({ status }) => status).sort(), [303, 404]);
  t.equal((await count()).length, before + 1);
  t.equal((await person.get(path)).status, 404, 'the page too');
  form.set('decision', 'refuse');
  t.equal((await person.post(path, form)).status, 404, 'what is connected cannot be refused');
  const refused = await openApproval(person, authorizeUrl(clientId, newPkce()));
  const no = new URLSearchParams({ form: formTokenIn(refused.html), decision: 'refuse' });
  const refusals = await Promise.all([person.post(refused.path, no), person.post(refused.path, no)]);
  t.same(refusals.map(({ status }) => status).sort(), [303, 404]);
});

t.test('a query may have question marks in it', async (t) => {
  const redirect_uri = 'https://client.example/callback?x=1';
  const other = (await register(instance, { redirect_uris: [redirect_uri] })).clientId;
  const query = authorizeUrl(other, newPkce(), { redirect_uri, state: '/inbox?tab=1' }).replaceAll('%3F', '?');
  t.match(query, /\?.*\?.*\?/);
  const answer = await decide(person, await openApproval(person, query));
  t.same([answer.searchParams.get('x'), answer.searchParams.get('state')], ['1', '/inbox?tab=1']);
});

t.test('a consent cannot be forged', async (t) => {
  const approval = await openApproval(person, authorizeUrl(clientId, newPkce()));
  const token = /name="form" value="([^"]+)"/.exec(approval.html)?.[1] ?? '';
  const form = (value: string) =>
    new URLSearchParams([
      ['form', value],
      ['decision', 'connect'],
      ['scope', 'mail:read'],
      ['agent', '*'],
    ]);
  const tries: readonly (readonly [about: string, who: Person, value: string, headers?: Record<string, string>])[] = [
    ['by another site', person, token, { 'sec-fetch-site': 'cross-site' }],
    ['by another origin', person, token, { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['without the token of the form', person, ''],
    ['with another token', person, 'A'.repeat(43)],
  ];
  for (const [about, who, value, headers] of tries) {
    t.equal((await who.post(approval.path, form(value), headers)).status, 403, about);
  }
  const stranger = await signIn(instance);
  t.equal((await stranger.post(approval.path, form(token))).status, 404, 'in another browser');
  t.equal((await stranger.get(approval.path)).status, 404);
  const unsigned = createPerson(instance);
  for (const [key, value] of person.cookies) if (!key.includes('session')) unsigned.cookies.set(key, value);
  const sent = await unsigned.post(approval.path, form(token));
  t.same([sent.status, sent.headers.get('location')], [303, '/console/sign-in'], 'signed out');
  const count = () => instance.inStore(({ read }) => read.selectFrom('oauth_grants').select('id').execute());
  const before = (await count()).length;
  for (const fields of [[['scope', 'mail:read']], [['agent', '*']]]) {
    const nothing = await person.post(
      approval.path,
      new URLSearchParams([['form', token], ['decision', 'connect'], ...fields] as [string, string][]),
    );
    t.equal(nothing.status, 400, 'nothing ticked');
    t.match(await nothing.text(), /role="alert"/);
  }
  t.equal((await count()).length, before, 'nothing was granted');
  t.equal((await person.post(approval.path, form(token))).status, 303);
  t.equal((await count()).length, before + 1);
});

t.test('what a client may register', async (t) => {
  await using other = await startInstance();
  const refused = async (redirect_uris: unknown) => {
    const { status, body } = await register(other, { redirect_uris });
    return [status, body.error];
  };
  for (const uri of [
    ...['javascript:alert(1)', 'data:text/html,x', 'https://a.example/cb#x', 'http://a.example/cb', 'not a uri'],
    ...['https://user:pw@a.example/cb', `https://a.example/${'x'.repeat(2_100)}`],
  ]) {
    t.same(await refused([uri]), [400, 'invalid_redirect_uri'], uri.slice(0, 40));
  }
  for (const uris of [[], 'https://a.example', undefined]) t.equal((await refused(uris))[0], 400);
  t.same(await refused(['https://a.example/cb', 'javascript:alert(1)']), [400, 'invalid_redirect_uri']);
  const own = await register(other, { application_type: 'web', redirect_uris: ['app:callback'] });
  t.same([own.status, own.body.error], [400, 'invalid_redirect_uri']);
  t.equal((await register(other, { client_name: 'x'.repeat(201) })).status, 400);

  const native = await register(other, {
    redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'],
    ...{ scope: 'openid', jwks_uri: 'https://a.example/jwks', sector_identifier_uri: 'https://a.example/sector' },
  });
  t.match(native, { status: 201, body: { application_type: 'native', client_secret: undefined } });
  t.same(
    [native.body.jwks_uri, native.body.sector_identifier_uri, native.body.scope],
    [undefined, undefined, undefined],
  );

  const nulls = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'scope', 'software_id', 'grant_types', 'contacts'];
  const withNulls = await register(other, Object.fromEntries(nulls.map((name) => [name, null])));
  t.equal(withNulls.status, 201, 'a field that is null counts as left out');
  t.same(
    Object.values(withNulls.body).filter((value) => value === null),
    [],
  );

  // As versions of Cursor register themselves.
  const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback';
  const redirect_uris = [cursor, 'https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback'];
  const editor = await register(other, {
    redirect_uris,
    client_name: 'Cursor',
    application_type: 'web',
    client_uri: '',
  });
  t.match(editor, { status: 201, body: { application_type: 'native', redirect_uris } });

  const someone = await signIn(other);
  const url = authorizeUrl(editor.clientId, newPkce(), { redirect_uri: cursor });
  t.equal((await openApproval(someone, url)).page.status, 200);
  const loopback = { redirect_uri: 'http://127.0.0.1:49152/cb' };
  t.equal(
    (await openApproval(someone, authorizeUrl(native.clientId, newPkce(), loopback))).page.status,
    200,
    'any port',
  );
  const elsewhere = await someone.get(
    authorizeUrl(native.clientId, newPkce(), { redirect_uri: 'http://127.0.0.1:49152/other' }),
  );
  t.equal(elsewhere.headers.get('location'), null, 'but the registered path');

  const secret = await register(other, { token_endpoint_auth_method: 'client_secret_post' });
  const { code, pkce } = await obtainCode(someone, secret.clientId);
  t.equal((await exchange(other, secret.clientId, code, pkce)).status, 401, 'without its secret');
  t.equal((await exchange(other, secret.clientId, code, pkce, { client_secret: 'wrong' })).status, 401);
  const client_secret = String(secret.body.client_secret);
  t.equal((await exchange(other, secret.clientId, code, pkce, { client_secret })).status, 200);
  const kept = await other.inStore(({ read }) => read.selectFrom('oauth_clients').selectAll().execute());
  t.notMatch(JSON.stringify(kept), client_secret, 'the file has no client secret');

  let last = 201;
  for (let n = 0; n < 21 && last !== 429; n += 1) last = (await register(other)).status;
  t.equal(last, 429, '20 registrations an hour');
  const big = await fetch(new URL('/oauth/token', other.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'x'.repeat(100_000),
  });
  t.equal(big.status, 413);
  t.same(other.faults, []);
});

t.test('nothing of it was a fault', (t) => {
  t.same(instance.faults, []);
  t.end();
});
