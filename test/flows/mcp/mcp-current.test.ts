/** Revision 2026-07-28: no initialize, no sessions, on the URL that the earlier revisions have. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { currentHeaders, currentMessage, REVISION } from '../../harness/mcp/current-request.ts';
import { mcpRequest, refusalIn } from '../../harness/mcp/mcp-request.ts';
import { asOperator } from '../../harness/operator.ts';

const URL_MODE = { elicitation: { url: {} } };
const SEND = { to: ['a@remote.test'], subject: 'Offer', body: 'An offer.' };

const connect = async (instance: TestInstance, { key }: Pick<TestAgent, 'key'>, capabilities = {}): Promise<Client> => {
  const options = { capabilities, versionNegotiation: { mode: { pin: REVISION } } };
  const client = new Client({ name: 'test', version: '1' }, options);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', instance.baseUrl), { requestInit }));
  return client;
};

const hold = (instance: TestInstance) =>
  asOperator(instance, (call) => call(contracts.agents.hold, { agent: 'ann', hold: true }));

const listHeld = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).pending.listPending({})).pending;

t.test('it is discovered, lists in a fixed order for a while, and calls', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = await connect(instance, ann);
  t.equal(client.getNegotiatedProtocolVersion(), REVISION);
  t.match(client.getServerVersion(), { name: 'postroom', icons: [{ src: `${instance.baseUrl}/icon.svg` }] });
  const { tools } = await client.listTools();
  t.match(await client.callTool({ name: 'whoami', arguments: {} }), { structuredContent: { handle: 'ann' } });
  const refused = await client.callTool({ name: 'get_message', arguments: { message_id: 'x' } });
  t.match(refused, { isError: true });
  await t.rejects(client.readResource({ uri: 'postroom://nothing' }), { code: -32602 });
  await client.close();

  const listed = async () => {
    const reply = await mcpRequest(instance, ann, {
      headers: currentHeaders('tools/list'),
      body: currentMessage('tools/list'),
    });
    t.equal(reply.headers['mcp-session-id'], undefined, 'no session');
    return (JSON.parse(reply.body) as { result: { tools: { name: string }[]; ttlMs: number; cacheScope: string } })
      .result;
  };
  const [one, two] = [await listed(), await listed()];
  t.same(one.tools, two.tools);
  t.same(
    one.tools.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  t.same([one.ttlMs, one.cacheScope], [600_000, 'private']);
  t.ok(
    one.tools.every((tool) => !('icons' in tool)),
    'icons cost no reader of the list a token',
  );
  t.same(refusalIn(await mcpRequest(instance, null, { body: currentMessage('tools/list') })), [401, 'unauthorized']);
  const unknown = await mcpRequest(instance, ann, {
    headers: { ...currentHeaders('tools/list'), 'mcp-protocol-version': '2027-01-01' },
    body: JSON.parse(JSON.stringify(currentMessage('tools/list')).replace(REVISION, '2027-01-01')) as unknown,
  });
  t.match(JSON.parse(unknown.body), { error: { code: -32022 } });
  const deep = `${'{"a":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
  const body = JSON.stringify(currentMessage('tools/call', { name: 'whoami', arguments: {} })).replace(
    '"arguments":{}',
    `"arguments":${deep}`,
  );
  t.same(refusalIn(await mcpRequest(instance, ann, { headers: currentHeaders('tools/call', 'whoami'), body })), [
    413,
    'body_too_large',
  ]);
  const named = currentMessage('tools/call', { name: 'x'.repeat(20_000), arguments: {} });
  const long = await mcpRequest(instance, ann, { headers: currentHeaders('tools/call', 'x'), body: named });
  t.same(refusalIn(long), [413, 'body_too_large'], 'an answer would repeat the name');
  t.same(instance.faults, []);
});

t.test('what may be read before connecting', async (t) => {
  await using instance = await startInstance();
  const read = async (path: string) => {
    const response = await fetch(new URL(path, instance.baseUrl));
    t.same([response.status, response.headers.get('access-control-allow-origin')], [200, '*'], path);
    return [response.headers.get('content-type'), await response.json()] as const;
  };
  const [catalogType, catalog] = await read('/.well-known/ai-catalog.json');
  t.match(catalogType, 'application/ai-catalog+json');
  t.match(catalog, {
    specVersion: '1.0',
    entries: [{ type: 'application/mcp-server-card+json', url: `${instance.baseUrl}/mcp/server-card` }],
  });
  const [cardType, card] = await read('/mcp/server-card');
  t.match(cardType, 'application/mcp-server-card+json');
  t.match(card, {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
    remotes: [{ type: 'streamable-http', url: `${instance.baseUrl}/mcp` }],
  });
  t.same((await read('/.well-known/mcp/server-card.json'))[1], card);
  t.match((await fetch(new URL('/icon.svg', instance.baseUrl))).headers.get('content-type'), 'image/svg+xml');
});

t.test('a held send asks a client that can to open the page of that mail; nothing it answers decides', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await hold(instance);
  for (const action of ['accept', 'decline', 'cancel'] as const) {
    const client = await connect(instance, ann, URL_MODE);
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params);
      return { action };
    });
    const before = (await listHeld(instance)).length;
    const result = await client.callTool({ name: 'send_message', arguments: SEND });
    const [held, ...others] = await listHeld(instance);
    t.equal(others.length, before, 'it is held once, although the call came twice');
    t.match(result, { structuredContent: { status: 'held', pendingId: held?.pending_id } });
    t.match(asked, [{ mode: 'url', url: `${instance.baseUrl}/console/approvals/${held?.pending_id}` }], action);
    await client.close();
  }
  // The owner's notice may have come by now.
  const sent = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('a@remote.test'));
  t.same(sent, [], 'no answer sends it');

  const polls = await connect(instance, ann);
  t.match(await polls.callTool({ name: 'send_message', arguments: SEND }), { structuredContent: { status: 'held' } });
  await polls.close();

  const forged = { name: 'send_message', arguments: SEND, requestState: '01900000-0000-7000-8000-00000000abcd' };
  const count = (await listHeld(instance)).length;
  const reply = await mcpRequest(instance, ann, {
    headers: currentHeaders('tools/call', 'send_message'),
    body: currentMessage('tools/call', forged),
  });
  t.match(JSON.parse(reply.body), { error: { code: -32602, message: /names no held mail of yours/ } });
  t.equal((await listHeld(instance)).length, count, 'a state that is not of its own mail sends nothing');
  t.same(instance.faults, []);
});

t.test('the same of a client with a session', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await hold(instance);
  const client = new EarlierClient({ name: 'earlier', version: '1' }, { capabilities: URL_MODE });
  const asked: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: 'accept' as const };
  });
  const transport = new EarlierTransport(new URL('/mcp', instance.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${ann.key}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const result = await client.callTool({ name: 'send_message', arguments: SEND });
  const held = await listHeld(instance);
  t.equal(held.length, 1);
  t.match(result, { structuredContent: { status: 'held', pendingId: held[0]?.pending_id } });
  t.match(asked, [{ mode: 'url', url: `${instance.baseUrl}/console/approvals/${held[0]?.pending_id}` }]);
  await client.close();
  t.same(instance.faults, []);
});

t.test('a call ends with its client, and with its key', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { params, ...call } = currentMessage('tools/call', {
    name: 'wait_for_email',
    arguments: { timeout_seconds: 50 },
  });
  const body = { ...call, params: { ...params, _meta: { ...params._meta, progressToken: 'p' } } };
  const headers = currentHeaders('tools/call', 'wait_for_email');
  const hungUp = Promise.withResolvers<void>();
  await mcpRequest(instance, ann, { headers, body, hangUp: true, onReply: hungUp.resolve });
  await hungUp.promise;

  const begun = Promise.withResolvers<void>();
  const waiting = mcpRequest(instance, ann, { headers, body, onReply: begun.resolve }).then(
    (reply) => reply.body,
    () => 'cut off',
  );
  await begun.promise;
  const { keys } = await asOperator(instance, (operate) => operate(contracts.keys.list, { agent: 'ann' }));
  await asOperator(instance, (operate) => operate(contracts.keys.revoke, { key_id: keys[0]?.id ?? '' }));
  t.notMatch(await waiting, /"timed_out":true/, 'it did not wait to its end');
  t.same(instance.faults, []);
});
