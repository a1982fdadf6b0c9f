import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';

const errorOf = async (response: Response): Promise<[number, string]> => {
  const { error, hint } = (await response.json()) as { error: string; hint: string };
  if (typeof hint !== 'string' || hint === '') throw new Error('An error without a hint');
  return [response.status, error];
};

const raw = (
  instance: TestInstance,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = {},
) =>
  fetch(new URL(path, instance.baseUrl), {
    method,
    body,
    headers: { authorization: `Bearer ${instance.agents.ann.key}`, 'content-type': 'application/json', ...headers },
  });

t.test('bad input is answered in the one error form and changes nothing', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', '{"to":')), [400, 'invalid_json']);
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', '')), [400, 'invalid_json']);
  // Latin-1: its é is a byte that UTF-8 never has alone.
  const latin1 = Buffer.from('{"to":["a@remote.test"],"subject":"Caf\xe9","body":"b"}', 'latin1');
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', latin1)), [400, 'invalid_json']);
  const marked = await raw(instance, 'POST', '/v1/messages', '\ufeff{"to":"x"}');
  t.match(await marked.json(), { hint: /^`to` is an array/ }, 'a byte order mark is left out');
  t.same(await errorOf(await instance.request(ann, 'POST', '/v1/messages')), [400, 'invalid_request']);
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', '[]')), [400, 'invalid_request']);
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', 'null')), [400, 'invalid_request']);
  t.same(await errorOf(await raw(instance, 'POST', '/v1/messages', 'x', { 'content-type': 'text/plain' })), [
    415,
    'unsupported_media_type',
  ]);
  const valid = { to: ['a@remote.test'], subject: 's', body: 'b' };
  const send = async (change: object) =>
    errorOf(await instance.request(ann, 'POST', '/v1/messages', { ...valid, ...change }));
  t.same(await send({ to: [] }), [400, 'invalid_request']);
  t.same(await send({ to: 'a@remote.test' }), [400, 'invalid_request']);
  t.same(await send({ to: ['nonsense'] }), [400, 'invalid_email']);
  t.same(await send({ to: ['a@remote.test\r\nBcc: b@remote.test'] }), [400, 'invalid_email']);
  t.same(await send({ body: undefined }), [400, 'body_required']);
  t.same(await send({ subject: 7 }), [400, 'invalid_request']);
  t.same(await send({ body: 7 }), [400, 'invalid_request']);
  t.same(await send({ sender: 'x@remote.test' }), [400, 'invalid_request']);
  t.same(await send({ attachments: [{ filename: 'a', content_base64: 'data:text/plain;base64,eA==' }] }), [
    400,
    'invalid_request',
  ]);
  t.same(await send({ attachments: Array(11).fill({ filename: 'a', content_base64: 'eA==' }) }), [
    400,
    'invalid_request',
  ]);
  t.same(await send({ reply_to_message_id: 'seven' }), [400, 'invalid_request']);
  t.same(await send({ __proto__: { x: 1 }, constructor: 1 }), [400, 'invalid_request']);
  t.same(await errorOf(await raw(instance, 'POST', '/v1/identity/rules', `{"x":"${'y'.repeat(1_100_000)}"}`)), [
    413,
    'body_too_large',
  ]);

  const get = async (path: string) => errorOf(await instance.request(ann, 'GET', path));
  t.same(await get('/v1/messages?limit=0'), [400, 'invalid_request']);
  t.same(await get('/v1/messages?limit=101'), [400, 'invalid_request']);
  t.same(await get('/v1/messages?limit=ten'), [400, 'invalid_request']);
  t.same(await get('/v1/messages?unread_only=perhaps'), [400, 'invalid_request']);
  t.equal((await instance.request(ann, 'GET', '/v1/messages?unread_only=True')).status, 200, 'as Python writes it');
  for (const path of ['messages?limit=&cursor=&from=&since=&unread_only=&direction=', 'contacts?q=&lookup=']) {
    t.equal((await instance.request(ann, 'GET', `/v1/${path}`)).status, 200, 'empty as left out');
  }
  t.same(await get('/v1/messages?nonsense='), [400, 'invalid_request']);
  t.same(await get('/v1/messages?nonsense=1'), [400, 'invalid_request']);
  t.same(await get('/v1/messages?limit=1&limit=2'), [400, 'invalid_request']);
  t.same(await get('/v1/messages?cursor=bogus'), [400, 'invalid_request']);
  t.same(await get('/v1/threads?cursor=WzFd'), [400, 'invalid_request']);
  t.same(await get('/v1/search'), [400, 'invalid_request']);
  t.same(await get('/v1/search?q='), [400, 'invalid_request']);
  t.same(await get('/v1/search?q=x&limit=51'), [400, 'invalid_request']);
  t.same(await get('/v1/messages/not-a-uuid'), [404, 'message_not_found']);
  t.same(await get('/v1/threads/01890000-0000-7000-8000-000000000000'), [404, 'thread_not_found']);
  for (const [name, refusal] of [
    ['%E0%A4%A', [400, 'invalid_request']],
    ['a'.repeat(5_000), [404, 'route_not_found']],
  ] as const) {
    const unread = await instance.request(ann, 'GET', `/v1/messages/${name}`);
    t.equal(unread.headers.get('x-ratelimit-limit'), '300', 'counted as any other');
    t.same(await errorOf(unread), refusal);
  }
  t.same(await get('/v1/nothing'), [404, 'route_not_found']);
  const wrong = await instance.request(ann, 'PATCH', '/v1/messages');
  t.equal(wrong.headers.get('allow'), 'GET, POST');
  t.match(await wrong.clone().json(), { hint: 'This path does not take PATCH. It takes GET, POST.' });
  t.same(await errorOf(wrong), [405, 'method_not_allowed']);
  t.same(await errorOf(await instance.request(ann, 'DELETE', '/v1/identity/rules/x')), [404, 'rule_not_found']);
  t.same(await get('/v1/identity/'), [404, 'route_not_found']);

  const socket = connect(instance.config.http.listen[0]?.port ?? 0, '127.0.0.1');
  socket.end('NONSENSE\r\n\r\n');
  t.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*"error":"invalid_request"/);
  t.equal((await instance.client(ann).messages.list({})).messages.length, 0);
  t.same(instance.faults, [], 'nothing a client sends is a fault of ours');
});

t.test('an empty body counts as none where none is needed, whatever it is announced as', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const sent = await instance.client(ann).messages.send({ to: ['a@remote.test'], subject: 's', body: 'b' });
  const id = sent.messageId ?? '';
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    const archived = await raw(instance, 'POST', `/v1/messages/${id}/archive`, '', { 'content-type': type });
    t.same(await archived.json(), { id, archived: true, unread: false }, type);
  }
  t.same(await errorOf(await raw(instance, 'DELETE', `/v1/messages/scheduled/${id}`, null)), [
    404,
    'scheduled_not_found',
  ]);
  t.same(await errorOf(await raw(instance, 'POST', `/v1/domains/${id}/verify`, '')), [404, 'not_found']);
  t.same(await errorOf(await raw(instance, 'PATCH', '/v1/identity', '')), [400, 'invalid_json']);
});

t.test('who may call, and how often', async (t) => {
  let now = Date.now();
  await using instance = await startInstance({ runtime: { clock: { now: () => now } } });
  const { ann } = instance.agents;
  const call = (authorization: string | null, more: Record<string, string> = {}) => {
    const headers = { ...(authorization === null ? {} : { authorization }), ...more };
    return fetch(new URL('/v1/identity', instance.baseUrl), { headers });
  };
  t.same(await errorOf(await call(null)), [401, 'unauthorized']);
  t.same(await errorOf(await call('Basic YTpi')), [401, 'unauthorized']);
  t.same(await errorOf(await call('Bearer svc_wrong')), [401, 'invalid_key']);
  t.same(await errorOf(await call(`Bearer svc_${'A'.repeat(43)}`)), [401, 'invalid_key']);

  const first = await call(`Bearer ${ann.key}`);
  t.equal(first.status, 200);
  t.equal(first.headers.get('x-ratelimit-limit'), '300');
  t.equal(first.headers.get('x-ratelimit-remaining'), '299');
  for (let n = 1; n < 300; n += 1) await (await call(`Bearer ${ann.key}`)).arrayBuffer();
  const limited = await call(`Bearer ${ann.key}`);
  t.equal(limited.headers.get('retry-after'), '60');
  t.same(await errorOf(limited), [429, 'rate_limited']);
  t.equal((await call(`Bearer ${instance.agents.bob.key}`)).status, 200, "another key's minute is its own");

  const asBob = (handle: string) => call(`Bearer ${instance.agents.bob.key}`, { 'x-svc-agent': handle });
  t.equal((await asBob('Bob')).status, 200);
  t.same(await errorOf(await asBob('ann')), [403, 'unknown_agent'], 'a key is for its own agent');
  t.same(await errorOf(await asBob('nobody')), [403, 'unknown_agent']);

  for (let n = 6; n < 30; n += 1) t.equal((await call(null)).status, 401);
  const anonymous = await call(null);
  t.equal(anonymous.headers.get('x-ratelimit-limit'), '30');
  t.same(await errorOf(anonymous), [429, 'rate_limited']);
  t.equal((await fetch(new URL('/healthz', instance.baseUrl))).status, 200, 'health counts to no limit');
  now += 60_000;
  t.equal((await call(`Bearer ${ann.key}`)).status, 200);
  t.equal((await call(null)).status, 401);
});

t.test('the interface describes itself', async (t) => {
  await using instance = await startInstance();
  const document = (await (await fetch(new URL('/openapi.json', instance.baseUrl))).json()) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
    components: { schemas: Record<string, unknown> };
  };
  t.equal(document.openapi, '3.1.0');
  t.match(document.components.schemas.PendingSend, {
    properties: { reason: { description: /agent_on_hold.*holds_a_secret.*secrets_not_checked/ } },
  });
  t.same(Object.keys(document.paths['/v1/messages'] ?? {}), ['get', 'post']);
  t.same(
    Object.keys(document.paths['/v1/messages']?.post?.responses ?? {}).filter((status) => status < '300'),
    ['200', '202'],
  );
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  t.equal(new Set(ids).size, ids.length, 'each operation has a name of its own');
  t.match(await (await fetch(new URL('/readyz', instance.baseUrl))).json(), { ready: true, vault: 'open' });
  const discovered = ['oauth-authorization-server', 'oauth-protected-resource/mcp', 'mcp/server-card.json'];
  const monitored = ['/healthz', '/readyz', '/openapi.json', '/docs', '/docs/mcp', '/llms.txt', '/console/'];
  for (const path of [...monitored, ...discovered.map((name) => `/.well-known/${name}`)]) {
    const asked = await fetch(new URL(path, instance.baseUrl), { method: 'HEAD' });
    t.same([asked.status, await asked.text()], [200, ''], `${path}, as monitors ask`);
  }
});
