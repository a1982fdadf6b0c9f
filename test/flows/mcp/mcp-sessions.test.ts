import t from 'tap';
import { IDLE_MS, MAX_PER_KEY } from '../../../src/transports/mcp/sessions.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import {
  beginSession,
  INTRODUCTION,
  initialize,
  type McpReply,
  mcpRequest,
  messagesIn,
  toolCall,
} from '../../harness/mcp/mcp-request.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const errorOf = ({ status, body }: McpReply): [number, string] => {
  const { error, hint } = JSON.parse(body) as { error: string; hint: string };
  if (typeof hint !== 'string' || hint === '') throw new Error('An error without a hint');
  return [status, error];
};

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

t.test('what the transport refuses, it refuses by status', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const none = await initialize(instance, null);
  t.same(errorOf(none), [401, 'unauthorized']);
  t.equal(none.headers['www-authenticate'], 'Bearer');
  t.same(errorOf(await initialize(instance, { key: 'svc_nobody' })), [401, 'invalid_key']);
  t.same(errorOf(await mcpRequest(instance, ann, { body: PING })), [400, 'invalid_request'], 'no session yet');
  t.same(errorOf(await mcpRequest(instance, ann, { body: '{"jsonrpc":' })), [400, 'invalid_json']);
  t.same(errorOf(await mcpRequest(instance, ann, { body: 'x', headers: { 'content-type': 'text/plain' } })), [
    415,
    'unsupported_media_type',
  ]);
  t.same(errorOf(await mcpRequest(instance, ann, { body: PING, headers: { 'mcp-session-id': 'x' } })), [
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
    t.same(errorOf(await mcpRequest(instance, ann, { body })), [413, 'body_too_large'], 'it would be kept');
  }
  const session = await beginSession(instance, ann);
  t.same(messagesIn(await mcpRequest(instance, ann, { body: PING, headers: session })), [
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
  t.same(
    errorOf(await mcpRequest(instance, bob, { body: PING, headers: session })),
    [404, 'session_not_found'],
    "another's",
  );
  t.same(errorOf(await mcpRequest(instance, null, { body: PING, headers: session })), [401, 'unauthorized']);
  for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
    const reply = await mcpRequest(instance, ann, { method });
    t.same([reply.status, reply.headers.allow], [405, 'GET, POST, DELETE'], method);
  }
  t.same(errorOf(await mcpRequest(instance, ann, { method: 'GET', headers: session })), [405, 'method_not_allowed']);
  const old = { ...session, 'mcp-protocol-version': '1999-01-01' };
  t.equal((await mcpRequest(instance, ann, { body: PING, headers: old })).status, 400);
  t.equal((await mcpRequest(instance, ann, { body: PING, headers: { ...session, accept: 'text/html' } })).status, 406);
  t.equal((await initialize(instance, ann, { headers: { accept: 'text/html' } })).status, 406);
  t.equal((await mcpRequest(instance, ann, { body: [], headers: session })).status < 500, true);
  t.equal((await mcpRequest(instance, ann, { body: { jsonrpc: '2.0' }, headers: session })).status, 400);
  t.match(messagesIn(await mcpRequest(instance, ann, { body: toolCall(5, 'list_messages'), headers: session })), [
    { id: 5, result: { structuredContent: { messages: [] } } },
  ]);
  t.equal((await mcpRequest(instance, ann, { method: 'DELETE', headers: session })).status, 200);
  t.same(
    errorOf(await mcpRequest(instance, ann, { body: PING, headers: session })),
    [404, 'session_not_found'],
    'it has ended',
  );
  t.same(instance.faults, []);
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
    { origin: 'http://127.0.0.1.evil.test' },
    { origin: 'http://mx.box.test.evil.test' },
  ]) {
    t.same(errorOf(await initialize(instance, ann, { headers })), [403, 'origin_not_allowed'], JSON.stringify(headers));
  }
  for (const headers of [
    { host: 'mx.box.test' },
    { host: 'localhost:1' },
    { host: '[::1]' },
    { host: '192.0.2.7:8025' },
    { origin: 'https://mx.box.test' },
    { origin: instance.baseUrl },
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
  t.same(errorOf(await mcpRequest(instance, { key }, { body: PING, headers: session })), [401, 'invalid_key']);
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
  t.same(errorOf(refused), [429, 'rate_limited']);
  t.ok(Number(refused.headers['retry-after']) > 0);
  clock.at += 60_001;
  t.equal((await mcpRequest(instance, ann, { body: batch.concat(batch), headers: session })).status, 200);
  t.equal(await left(), 199);
  clock.at += 60_001;
  t.same(errorOf(await mcpRequest(instance, ann, { body: Array(301).fill(PING), headers: session })), [
    429,
    'rate_limited',
  ]);
});

t.test('sessions are bounded in number, the longest unused ends first, and in time', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann, bob } = instance.agents;
  const bobs = await beginSession(instance, bob);
  const sessions = [];
  for (let count = 0; count < MAX_PER_KEY; count += 1) sessions.push(await beginSession(instance, ann));
  const [first, second] = sessions;
  const status = async (headers: Record<string, string> = {}, agent = ann) =>
    (await mcpRequest(instance, agent, { body: PING, headers })).status;
  t.equal(await status(first), 200, 'used again, it is the newest');
  await beginSession(instance, ann);
  t.same([await status(first), await status(second)], [200, 404]);
  await Promise.all(Array.from({ length: 100 }, () => initialize(instance, ann, { headers: { accept: 'text/html' } })));
  t.equal(await status(first), 200, 'what begins no session takes the place of none in use');
  await Promise.all(Array.from({ length: 60 }, () => beginSession(instance, bob)));
  t.ok(instance.daemon.toolSessions.count <= 2 * MAX_PER_KEY, 'also where they begin at once');
  clock.at += 60_001;
  t.equal(await status(first), 200);
  clock.at += IDLE_MS - 1_000;
  t.equal(await status(first), 200);
  clock.at += 2_000;
  await instance.daemon.jobs.runAll();
  t.same([await status(first), await status(sessions[2]), await status(bobs, bob)], [200, 404, 404]);
});

const waitingMail = async (instance: TestInstance) => {
  await using bob = await connectMcp(instance, instance.agents.bob);
  const { structured } = await bob.call('send_message', { to: [instance.agents.ann.address], subject: 'Q', body: 'x' });
  return String(structured.messageId);
};

t.test('progress is told to who asks; a call that is cancelled ends at once', async (t) => {
  await using instance = await startInstance();
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const call = toolCall(7, 'wait_for_reply', { message_id }, { progressToken: 'p' });
  const underWay = Promise.withResolvers<void>();
  const waiting = mcpRequest(instance, bob, { body: call, headers: session, onReply: underWay.resolve });
  await underWay.promise;
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  t.equal((await mcpRequest(instance, bob, { body: cancel, headers: session })).status, 202);
  const messages = messagesIn(await waiting);
  t.match(messages, [
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 0 } },
    { id: 7, error: { message: /Cancelled/ } },
  ]);
  await using client = await connectMcp(instance, bob);
  const abort = new AbortController();
  const args = { name: 'wait_for_reply', arguments: { message_id } };
  const aborted = client.client.callTool(args, undefined, { signal: abort.signal });
  await new Promise((resolve) => setTimeout(resolve, 100));
  abort.abort();
  await t.rejects(aborted);
  t.match((await client.call('whoami')).structured, { handle: 'bob' }, 'and the session goes on');
});

t.test('a stream that broke is resumed, and the wait on it goes on', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = { ...(await beginSession(instance, bob)), 'mcp-protocol-version': '2025-11-25' };
  const url = new URL('/mcp', instance.baseUrl);
  const headers = {
    ...session,
    authorization: `Bearer ${bob.key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const hangUp = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(toolCall(3, 'wait_for_reply', { message_id })),
    signal: hangUp.signal,
  });
  const reader = response.body?.getReader();
  const begun = new TextDecoder().decode((await reader?.read())?.value);
  const cursor = /^id: (.+)$/m.exec(begun)?.[1] ?? '';
  t.match(begun, /^retry: 1000$/m);
  hangUp.abort();
  await reader?.closed.catch(() => undefined);

  const [mail] = await eventually(async () => {
    const { messages } = await instance.client(ann).messages.list({});
    return messages.length > 0 && messages;
  });
  await instance.client(ann).messages.replyAll({ id: mail?.id ?? '', body: 'While you were away.' });
  await eventually(async () => (await instance.client(bob).messages.list({})).messages.length === 2);
  const resumed = await fetch(url, { headers: { ...headers, 'last-event-id': cursor } });
  const replayed = new TextDecoder().decode((await resumed.body?.getReader().read())?.value);
  t.match(replayed, /"id":3/);
  t.match(replayed, /"timed_out":false/);
  const forged = await mcpRequest(instance, bob, {
    method: 'GET',
    headers: { ...session, 'last-event-id': 'no cursor' },
  });
  t.equal(forged.status, 400);
});

t.test('a thousand waits that nobody waits for leave nothing behind', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const held = () => {
    const kinds = process.getActiveResourcesInfo();
    return kinds.filter((kind) => kind === 'Timeout' || kind === 'TCPSocketWrap').length;
  };
  await new Promise((resolve) => setTimeout(resolve, 200));
  const before = held();
  let id = 0;
  for (let batch = 0; batch < 50; batch += 1) {
    clock.at += 60_001;
    const calls = Array.from({ length: 20 }, () => {
      id += 1;
      return mcpRequest(instance, bob, {
        body: toolCall(id, 'wait_for_reply', { message_id }),
        headers: session,
        hangUp: true,
      });
    });
    const replies = await Promise.all(calls);
    t.ok(replies.every(({ status }) => status === 200));
    // The next twenty have a place only once these have given theirs back.
    await eventually(async () => {
      clock.at += 1_000;
      const probe = toolCall(0, 'wait_for_reply', { message_id, timeout_seconds: 0 });
      const [answer] = messagesIn(await mcpRequest(instance, bob, { body: probe, headers: session }));
      return !JSON.stringify(answer).includes('rate_limited');
    });
  }
  t.equal(id, 1_000);
  // All twenty places of the key are free again.
  clock.at += 60_001;
  const probes = Array.from({ length: 20 }, (_, place) => {
    const body = toolCall(5_000 + place, 'wait_for_reply', { message_id, timeout_seconds: 1 });
    return mcpRequest(instance, bob, { body, headers: session });
  });
  const answers = (await Promise.all(probes)).flatMap(messagesIn);
  t.ok(answers.every((answer) => JSON.stringify(answer).includes('"timed_out":true')));
  t.equal(answers.length, 20);
  await eventually(async () => held() <= before + 2);
  t.comment(`timers and sockets: ${before} before, ${held()} after`);
  await sendMail(instance.smtpPort, { to: [bob.address] });
  t.same(instance.faults, []);
});

t.test('a stop of the daemon ends what waits', async (t) => {
  const instance = await startInstance();
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const underWay = Promise.withResolvers<void>();
  const body = toolCall(1, 'wait_for_reply', { message_id });
  const waiting = mcpRequest(instance, bob, { body, headers: session, onReply: underWay.resolve });
  await underWay.promise;
  const from = Date.now();
  await instance[Symbol.asyncDispose]();
  await waiting.catch(() => undefined);
  t.ok(Date.now() - from < 5_000);
});
