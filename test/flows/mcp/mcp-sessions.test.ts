import t from 'tap';
import { MCP_SESSIONS_PER_KEY } from '../../../src/budget/budget.ts';
import { HOUR } from '../../../src/kernel/clock.ts';
import { IDLE_MS } from '../../../src/transports/mcp/earlier/sessions.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { currentRequest } from '../../harness/mcp/current-request.ts';
import {
  beginSession,
  INTRODUCTION,
  initialize,
  mcpRequest,
  messagesIn,
  refusalIn,
  toolCall,
} from '../../harness/mcp/mcp-request.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

t.test('what the transport refuses, it refuses by status', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const none = await initialize(instance, null);
  t.same(refusalIn(none), [401, 'unauthorized']);
  t.match(none.headers['www-authenticate'], /^Bearer .*resource_metadata="http/);
  t.same(refusalIn(await initialize(instance, { key: 'svc_nobody' })), [401, 'invalid_key']);
  t.same(refusalIn(await mcpRequest(instance, ann, { body: '{"jsonrpc":' })), [400, 'invalid_json']);
  t.same(refusalIn(await mcpRequest(instance, ann, { body: 'x', headers: { 'content-type': 'text/plain' } })), [
    415,
    'unsupported_media_type',
  ]);
  t.same(refusalIn(await mcpRequest(instance, ann, { body: PING, headers: { 'mcp-session-id': 'x' } })), [
    404,
    'session_not_found',
  ]);
  const long = `{"x":{"y":"${'z'.repeat(70_000)}"}}`;
  const deep = `${'{"a":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
  for (const experimental of [long, deep]) {
    const body = JSON.stringify(INTRODUCTION).replace(
      '"capabilities":{}',
      `"capabilities":{"experimental":${experimental}}`,
    );
    t.same(refusalIn(await mcpRequest(instance, ann, { body })), [413, 'body_too_large'], 'it would be kept');
  }
  const session = await beginSession(instance, ann);
  t.same(messagesIn(await mcpRequest(instance, ann, { body: PING, headers: session })), [
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
  t.same(
    refusalIn(await mcpRequest(instance, bob, { body: PING, headers: session })),
    [404, 'session_not_found'],
    "another's",
  );
  t.same(refusalIn(await mcpRequest(instance, null, { body: PING, headers: session })), [401, 'unauthorized']);
  for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
    const reply = await mcpRequest(instance, ann, { method });
    t.same([reply.status, reply.headers.allow], [405, 'GET, POST, DELETE'], method);
  }
  t.same(refusalIn(await mcpRequest(instance, ann, { method: 'GET', headers: session })), [405, 'method_not_allowed']);
  const old = { ...session, 'mcp-protocol-version': '1999-01-01' };
  t.equal((await mcpRequest(instance, ann, { body: PING, headers: old })).status, 400);
  t.equal((await mcpRequest(instance, ann, { body: PING, headers: { ...session, accept: 'text/html' } })).status, 406);
  t.equal((await initialize(instance, ann, { headers: { accept: 'text/html' } })).status, 406);
  t.equal((await mcpRequest(instance, ann, { body: [], headers: session })).status < 500, true);
  t.equal((await mcpRequest(instance, ann, { body: { jsonrpc: '2.0' }, headers: session })).status, 400);
  t.match(messagesIn(await mcpRequest(instance, ann, { body: toolCall(5, 'list_messages'), headers: session })), [
    { id: 5, result: { structuredContent: { messages: [] } } },
  ]);
  t.equal((await mcpRequest(instance, ann, { body: '', headers: session })).status, 400);
  // The official Python client announces JSON with every request.
  const ends = { ...session, 'content-type': 'application/json' };
  t.equal((await mcpRequest(instance, ann, { method: 'DELETE', headers: ends })).status, 200);
  t.same(
    refusalIn(await mcpRequest(instance, ann, { body: PING, headers: session })),
    [404, 'session_not_found'],
    'it has ended',
  );
  t.same(instance.faults, []);
});

t.test('a client that names one type of answer, or any, is served what it takes', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const text = 'one\u2028data: {"jsonrpc":"2.0","id":5,"result":{}}';
  for (const accept of ['application/json', '*/*', 'application/*;q=0.9', 'text/event-stream']) {
    const said = async (body: unknown, session = {}) => {
      const {
        status,
        headers,
        body: answer,
      } = await mcpRequest(instance, ann, { body, headers: { ...session, accept } });
      t.match(headers['content-type'], accept === 'text/event-stream' ? accept : 'application/json', accept);
      return { status, headers, message: accept === 'text/event-stream' ? answer : JSON.parse(answer) };
    };
    const begun = await said(INTRODUCTION);
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) };
    t.match(begun, { status: 200, headers: { 'mcp-session-id': /./ } });
    const made = await said(toolCall(5, 'create_note', { body: text }), session);
    const batch = await said([PING, { ...PING, id: 2 }], session);
    if (accept === 'text/event-stream') continue;
    t.match(
      [begun.message, made.message],
      [
        { id: 0, result: {} },
        { id: 5, result: { structuredContent: { id: /./ } } },
      ],
    );
    const { id } = made.message.result.structuredContent;
    const read = await said(toolCall(6, 'get_note', { note_id: id }), session);
    t.match(read.message, { id: 6, result: { structuredContent: { body: text } } });
    t.match(batch.message, [{ id: 1 }, { id: 2 }]);
    const told = { body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: { ...session, accept } };
    t.equal((await mcpRequest(instance, ann, told)).status, 202);
  }
  t.same(instance.faults, []);
});

t.test('a client that keeps no session is served all the same', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const reply = await mcpRequest(instance, ann, { body: toolCall(5, 'whoami') });
  t.match(messagesIn(reply), [{ id: 5, result: { structuredContent: { handle: 'ann' } } }]);
  t.notOk(reply.headers['mcp-session-id']);
  const json = await mcpRequest(instance, ann, { body: [PING, { ...PING, id: 2 }], headers: { accept: '*/*' } });
  t.match(JSON.parse(json.body), [{ id: 1 }, { id: 2 }]);
  const told = { jsonrpc: '2.0', method: 'notifications/initialized' };
  t.equal((await mcpRequest(instance, ann, { body: told })).status, 202);
  const streams = await mcpRequest(instance, ann, { method: 'GET', headers: { accept: 'text/event-stream' } });
  t.equal(streams.status, 405, 'clients take another status for a failure');
  t.same(instance.faults, []);
});

t.test('null counts as left out, PHP’s empty list as an object, and the address may end with a slash', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const headers = await beginSession(instance, ann);
  const called = toolCall(5, 'whoami');
  for (const body of [
    { ...PING, params: null },
    { ...called, params: { ...called.params, arguments: null, _meta: { progressToken: null } } },
    { ...PING, method: 'tools/list', params: { cursor: null, _meta: null } },
  ]) {
    t.match(messagesIn(await mcpRequest(instance, ann, { body, headers })), [{ result: {} }]);
  }
  const params = { ...INTRODUCTION.params, capabilities: { roots: { listChanged: null }, experimental: null } };
  const begun = await mcpRequest(instance, ann, { body: { ...INTRODUCTION, params } });
  t.match(begun.headers, { 'mcp-session-id': /./ });
  const told = { jsonrpc: '2.0', method: 'notifications/initialized', params: null };
  t.equal((await mcpRequest(instance, ann, { body: told, headers })).status, 202);
  t.equal((await mcpRequest(instance, ann, { body: { ...PING, id: null }, headers })).status, 400, 'answered');
  for (const body of [
    { ...PING, params: [] },
    { ...PING, method: 'tools/list', params: { _meta: [] } },
    { ...called, params: { ...called.params, arguments: [] } },
  ]) {
    t.match(messagesIn(await mcpRequest(instance, ann, { body, headers })), [{ result: {} }]);
  }
  const clientInfo = { ...INTRODUCTION.params.clientInfo, icons: [{ src: 'https://php.test/icon.png', sizes: [] }] };
  const php = { ...INTRODUCTION, params: { ...INTRODUCTION.params, capabilities: [], clientInfo } };
  t.match((await mcpRequest(instance, ann, { body: php })).headers, { 'mcp-session-id': /./ });
  const current = await currentRequest(instance, ann.key, 'tools/call', { name: 'whoami', arguments: null });
  t.match(JSON.parse(current.body), { result: { structuredContent: { handle: 'ann' } } });
  t.match(await (await instance.request(ann, 'POST', '/mcp/', INTRODUCTION)).json(), { result: {} });
  t.equal((await instance.request(null, 'POST', '/mcp/', INTRODUCTION)).status, 401);
});

t.test('another site’s page gets nothing, whatever name it comes by', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  for (const headers of [
    { host: 'evil.test' },
    { host: 'evil.test:80', origin: 'http://evil.test' },
    { origin: 'https://evil.test' },
    { origin: 'http://192.0.2.7' },
    { host: 'a b' },
    { origin: 'null' },
    { origin: 'HTTPS://evil.test' },
    { origin: 'x' },
    { origin: 'http://127.0.0.1.evil.test' },
    { origin: 'http://mx.box.test.evil.test' },
  ]) {
    t.same(
      refusalIn(await initialize(instance, ann, { headers })),
      [403, 'origin_not_allowed'],
      JSON.stringify(headers),
    );
  }
  const tunnel = await initialize(instance, ann, { headers: { host: 'abc.tunnel.test' } });
  t.match(tunnel.body, /`public_url`/, 'the operator is told what to set');
  for (const headers of [
    { host: 'mx.box.test' },
    { host: 'localhost:1' },
    { host: '[::1]' },
    { host: '192.0.2.7:8025' },
    { origin: 'https://mx.box.test' },
    { origin: instance.baseUrl },
    { origin: 'chrome-extension://abcdefghijklmnop' },
    { origin: 'moz-extension://0b7e5a3c-1d2f' },
    { origin: 'file://' },
  ]) {
    t.equal((await initialize(instance, ann, { headers })).status, 200, JSON.stringify(headers));
  }
});

t.test('a key that is revoked is cut off in the middle of its session', async (t) => {
  await using instance = await startInstance();
  const { id, key } = (await cliJson(instance.configPath, 'keys', 'add', 'ann')) as { id: string; key: string };
  const session = await beginSession(instance, { key });
  t.equal((await mcpRequest(instance, { key }, { body: PING, headers: session })).status, 200);
  await cliJson(instance.configPath, 'keys', 'revoke', id, '--yes');
  t.same(refusalIn(await mcpRequest(instance, { key }, { body: PING, headers: session })), [401, 'invalid_key']);
});

t.test('the limit is the key’s, over REST and tools together, and counts each message of a batch', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  const session = await beginSession(instance, ann);
  const left = async () => {
    const reply = await mcpRequest(instance, ann, { body: PING, headers: session });
    return Number(reply.headers['x-ratelimit-remaining']);
  };
  t.equal(await left(), 297);
  await instance.request(ann, 'GET', '/v1/messages');
  t.equal(await left(), 295);
  const batch = Array.from({ length: 50 }, (_, id) => ({ ...PING, id }));
  t.equal(messagesIn(await mcpRequest(instance, ann, { body: batch, headers: session })).length, 50);
  t.equal(await left(), 244);
  await Promise.all(Array.from({ length: 244 }, () => instance.request(ann, 'GET', '/v1/threads')));
  const refused = await mcpRequest(instance, ann, { body: PING, headers: session });
  t.same(refusalIn(refused), [429, 'rate_limited']);
  t.ok(Number(refused.headers['retry-after']) > 0);
  clock.at += 60_001;
  t.equal((await mcpRequest(instance, ann, { body: batch.concat(batch), headers: session })).status, 200);
  t.equal(await left(), 199);
  clock.at += 60_001;
  const tooMany = await mcpRequest(instance, ann, { body: Array(301).fill(PING), headers: session });
  t.same(refusalIn(tooMany), [429, 'rate_limited']);
  t.match(tooMany.headers, { 'x-ratelimit-remaining': '0', 'retry-after': '60' });
});

t.test('sessions are bounded in number, the longest unused ends first, and in time', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann, bob } = instance.agents;
  const bobs = await beginSession(instance, bob);
  const sessions = [];
  for (let count = 0; count < MCP_SESSIONS_PER_KEY; count += 1) sessions.push(await beginSession(instance, ann));
  const [first, second] = sessions;
  const status = async (headers: Record<string, string> = {}, agent = ann) =>
    (await mcpRequest(instance, agent, { body: PING, headers })).status;
  t.equal(await status(first), 200, 'used again, it is the newest');
  await beginSession(instance, ann);
  t.same([await status(first), await status(second)], [200, 404]);
  await Promise.all(Array.from({ length: 100 }, () => initialize(instance, ann, { headers: { accept: 'text/html' } })));
  t.equal(await status(first), 200, 'what begins no session takes the place of none in use');
  await Promise.all(Array.from({ length: 60 }, () => beginSession(instance, bob)));
  t.ok(instance.daemon.toolSessions.count <= 2 * MCP_SESSIONS_PER_KEY, 'also where they begin at once');
  clock.at += 60_001;
  t.equal(await status(first), 200);
  clock.at += IDLE_MS - 1_000;
  t.equal(await status(first), 200);
  clock.at += 2_000;
  await instance.daemon.jobs.runAll();
  t.same([await status(first), await status(sessions[2]), await status(bobs, bob)], [200, 404, 404]);
});

t.test('a session outlives a night in which its client says nothing', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const session = await beginSession(instance, instance.agents.ann);
  clock.at += 16 * HOUR;
  await instance.daemon.jobs.runAll();
  t.equal((await mcpRequest(instance, instance.agents.ann, { body: PING, headers: session })).status, 200);
});
