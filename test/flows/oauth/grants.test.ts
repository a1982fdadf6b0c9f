/** From a registration to a tool call, what a grant allows, how it ends, and that a restart loses none. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import {
  beginSession,
  initialize,
  mcpRequest,
  messagesIn,
  refusalIn,
  toolCall,
} from '../../harness/mcp/mcp-request.ts';
import {
  authorizeUrl,
  connect,
  exchange,
  newPkce,
  obtainCode,
  openApproval,
  postForm,
  refresh,
  register,
  signIn,
} from '../../harness/oauth/oauth-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';

const { agents, connections, owners, workspaces } = contracts;
const RULE = { match: 'domain', value: 'spam.test', action: 'block' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const movingClock = () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  return clock;
};

const whoami = async (instance: TestInstance, key: string, headers: Record<string, string> = {}) => {
  const { status, body } = await initialize(instance, { key }, { headers });
  return status === 200 ? 200 : refusalIn({ status, body, headers: {} });
};

const revoke = (instance: TestInstance, token: string, clientId: string) =>
  postForm(instance, '/oauth/revoke', { token, client_id: clientId });

t.test('a client registers, its user approves, and it uses the agent', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);
  const { clientId, accessToken, refreshToken, scope } = await connect(instance, { person });
  t.match(accessToken, /^[\w-]{43}$/);
  t.equal(scope, 'mail:read mail:send contacts notes vault manage offline_access', 'what was granted');
  await using mcp = await connectMcp(instance, { key: accessToken });
  t.match((await mcp.call('whoami')).structured, { handle: 'ann' });
  const sent = await mcp.call('send_message', { to: ['a@remote.test'], subject: 'Hi', body: 'Hi' });
  t.match(sent.structured, { status: 'sent' });
  t.equal((await mcp.call('create_rule', RULE)).refusal, null);

  const acts = await listActs(instance);
  const [rule, approval] = [
    acts.find(({ action }) => action.startsWith('rule.')),
    acts.find(({ action }) => action === 'connection.approve'),
  ];
  const [connection] = (await cliJson(instance.configPath, 'connections', 'list')).connections as { id: string }[];
  t.match(rule, { actor: 'ann', via: 'MCP', detail: { by_connection: connection?.id } });
  t.match(approval, {
    actor: 'owner@remote.test',
    subject: 'Desk Companion',
    detail: { agents: ['ann'], offline: true },
  });
  t.match(connection, {
    ...{ client_name: 'Desk Companion', client_id: clientId, redirect_host: 'client.example', agents: ['ann'] },
    ...{ owner: 'owner@remote.test', offline: true, scopes: scope.split(' '), expires_at: /Z$/ },
  });

  const dump = await instance.inStore(async (store) =>
    JSON.stringify([
      await store.read.selectFrom('oauth_records').selectAll().execute(),
      await store.read.selectFrom('oauth_grants').selectAll().execute(),
    ]),
  );
  t.notMatch(dump, accessToken, 'the file has no token');
  t.notMatch(dump, refreshToken);
  const waiting = await openApproval(person, authorizeUrl(clientId, newPkce()));
  const requests = await instance.inStore(({ read }) => read.selectFrom('oauth_records').select('payload').execute());
  t.notMatch(
    JSON.stringify(requests),
    waiting.path.slice(waiting.path.lastIndexOf('/') + 1),
    'nor the id of a request',
  );

  await instance.restart();
  t.equal(await whoami(instance, accessToken), 200, 'a restart loses no token');
  const renewed = await refresh(instance, clientId, refreshToken);
  t.match(renewed, { status: 200, body: { scope, token_type: 'Bearer', expires_in: 3600 } });
  t.not(renewed.body.refresh_token, refreshToken);
  t.equal(await whoami(instance, renewed.body.access_token ?? ''), 200);
  t.same(instance.faults, []);
});

t.test('a grant is what was ticked, and no more', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);
  const limited = await connect(instance, {
    person,
    decision: { scopes: ['mail:read', 'contacts'], agents: ['ann', 'bob'] },
  });
  t.same([limited.scope, limited.refreshToken], ['mail:read contacts', '']);
  t.same(await whoami(instance, limited.accessToken), [403, 'ambiguous']);
  t.same(await whoami(instance, limited.accessToken, { 'x-svc-agent': 'nobody' }), [403, 'unknown_agent']);
  const asBob = { 'x-svc-agent': 'bob' };
  t.equal(await whoami(instance, limited.accessToken, asBob), 200);

  const one = await connect(instance, { person, decision: { agents: ['bob'] } });
  t.same(
    await whoami(instance, one.accessToken, { 'x-svc-agent': 'ann' }),
    [403, 'unknown_agent'],
    'it was not chosen',
  );
  const every = await connect(instance, { person, decision: { agents: ['*'] } });
  await instance.addAgent('cleo');
  t.equal(await whoami(instance, every.accessToken, { 'x-svc-agent': 'cleo' }), 200, 'also one that came later');

  await using mcp = await connectMcp(instance, {
    key: (await connect(instance, { person, decision: { scopes: ['mail:read'] } })).accessToken,
  });
  const { tools } = await mcp.client.listTools();
  t.ok(tools.some(({ name }) => name === 'list_messages'));
  for (const name of ['send_message', 'get_secret', 'list_contacts'])
    t.notOk(
      tools.some((tool) => tool.name === name),
      name,
    );

  const key = { key: limited.accessToken };
  const opened = await initialize(instance, key, { headers: asBob });
  t.equal(opened.headers['x-ratelimit-limit'], '300');
  const asAnn = await initialize(instance, key, { headers: { 'x-svc-agent': 'ann' } });
  const [before, after] = [opened, asAnn].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  t.ok((after ?? 0) < (before ?? 0), 'one limit for all agents of a grant');
  const session = { ...asBob, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const refused = await mcpRequest(instance, key, { headers: session, body: toolCall(7, 'list_secrets') });
  t.equal(refused.status, 200);
  t.match(messagesIn(refused), [{ id: 7, result: { isError: true, content: [{ text: /insufficient_scope/ }] } }]);

  const rest = await instance.request({ handle: '', address: '', key: limited.accessToken }, 'GET', '/v1/messages');
  t.same(
    [rest.status, ((await rest.json()) as { error: string }).error],
    [401, 'invalid_token'],
    'REST takes no tokens',
  );
  for (const unknown of ['not-a-token', 'a'.repeat(43), 'eyJhbGciOiJub25lIn0.e30.']) {
    t.same(await whoami(instance, unknown), [401, 'invalid_token']);
  }
  t.same(instance.faults, []);
});

// What clients are told to ask for has no `offline_access`, and most ask for that alone; some ask for nothing else.
t.test('any client that can refresh stays connected where the person ticks it', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);
  const stays = await connect(instance, { person, query: { scope: 'mail:read' } });
  t.equal(stays.scope, 'mail:read offline_access');
  const { clientId, refreshToken } = stays;
  const next = await refresh(instance, clientId, refreshToken, { scope: stays.scope });
  t.same([next.status, next.body.scope], [200, stays.scope]);
  t.equal(await whoami(instance, next.body.access_token ?? ''), 200);

  const unticked = await connect(instance, {
    person,
    query: { scope: 'mail:read' },
    decision: { scopes: ['mail:read'] },
  });
  t.same([unticked.scope, unticked.refreshToken], ['mail:read', '']);
  const unsaid = await connect(instance, { person, query: { scope: 'openid offline_access', nonce: 'n' } });
  t.equal(unsaid.scope, 'mail:read mail:send contacts notes offline_access', 'the first scopes');
  t.same(instance.faults, []);
});

t.test('a grant ends at once: revoked by its client, by an owner, and with what it was for', async (t) => {
  await using instance = await startInstance();
  const person = await signIn(instance);

  for (const which of ['accessToken', 'refreshToken'] as const) {
    const connected = await connect(instance, { person });
    const session = await beginSession(instance, { key: connected.accessToken });
    const begun = Promise.withResolvers<void>();
    const body = toolCall(1, 'wait_for_email', { timeout_seconds: 50 });
    const key = { key: connected.accessToken };
    // A stream that was cut off has ended, or broken, without the message that answers the call.
    const waiting = mcpRequest(instance, key, { headers: session, body, onReply: begun.resolve }).then(
      (reply) =>
        messagesIn(reply).some((message) => 'result' in message && !/invalid_key/.test(JSON.stringify(message))),
      () => false,
    );
    await begun.promise;
    t.equal((await revoke(instance, connected[which], connected.clientId)).status, 200);
    t.same(refusalIn(await mcpRequest(instance, key, { headers: session, body: PING })), [401, 'invalid_token']);
    t.match(await refresh(instance, connected.clientId, connected.refreshToken), {
      status: 400,
      body: { error: 'invalid_grant' },
    });
    t.notOk(await waiting, 'what it has open ends');
    t.match((await listActs(instance))[0], { action: 'connection.end', actor: 'postroom', subject: 'Desk Companion' });
  }

  const other = await connect(instance, { person });
  t.equal((await revoke(instance, other.accessToken, (await register(instance)).clientId)).status, 200);
  t.equal(await whoami(instance, other.accessToken), 200, 'another client ends nothing');
  const listed = await asOperator(instance, (call) => call(connections.list, { workspace: 'acme' }));
  t.equal(listed.connections.length, 1);
  const id = listed.connections[0]?.id ?? '';
  t.match(await cliJson(instance.configPath, 'connections', 'revoke', id, '--yes'), { id, revoked: true });
  t.same(await whoami(instance, other.accessToken), [401, 'invalid_token']);
  await t.rejects(
    asOperator(instance, (call) => call(connections.revoke, { connection_id: id })),
    { code: 'connection_not_found' },
  );
  t.match((await listActs(instance))[0], { action: 'connection.revoke', subject: 'Desk Companion', via: 'CLI' });

  const ofAnn = await connect(instance, { person, decision: { agents: ['ann'] } });
  await asOperator(instance, (call) => call(agents.suspend, { agent: 'ann' }));
  await using suspended = await connectMcp(instance, { key: ofAnn.accessToken });
  t.match((await suspended.call('create_note', { title: 'A', body: 'B' })).refusal, { error: 'agent_suspended' });
  await asOperator(instance, (call) => call(agents.remove, { agent: 'ann' }));
  t.same(await whoami(instance, ofAnn.accessToken), [401, 'invalid_token'], 'it was for nothing else');

  const last = await connect(instance, { person, decision: { agents: ['*'] } });
  t.equal(await whoami(instance, last.accessToken), 200);
  await asOperator(instance, (call) => call(owners.add, { email: 'second@remote.test', workspace: 'acme' }));
  await asOperator(instance, (call) => call(owners.remove, { email: 'owner@remote.test', workspace: 'acme' }));
  t.same(await whoami(instance, last.accessToken), [401, 'invalid_token'], 'the owner has nothing any more');
  const second = await connect(instance, {
    person: await signIn(instance, undefined, 'second@remote.test'),
    decision: { agents: ['*'] },
  });
  t.equal(await whoami(instance, second.accessToken), 200);
  await asOperator(instance, (call) => call(workspaces.remove, { workspace: 'acme' }));
  t.same(await whoami(instance, second.accessToken), [401, 'invalid_token']);
  t.same(instance.faults, []);
});

t.test('a user without agents, and without a workspace', async (t) => {
  await using instance = await startInstance();
  await instance.addWorkspace('Empty');
  const person = await signIn(instance);
  const connected = await connect(instance, { person, decision: { agents: ['*'] } });
  for (const agent of ['ann', 'bob']) await asOperator(instance, (call) => call(agents.remove, { agent }));
  t.same(await whoami(instance, connected.accessToken), [403, 'no_agent']);
  await instance.inStore((store) =>
    store.write(async (tx) => {
      await tx.db.deleteFrom('workspace_owners').execute();
    }),
  );
  t.same(await whoami(instance, connected.accessToken), [403, 'no_workspace']);
});

t.test('codes, tokens and clients end by time, and are purged', async (t) => {
  const clock = movingClock();
  await using instance = await startInstance({ runtime: { clock } });
  const person = await signIn(instance);
  const { clientId } = await register(instance);
  const late = await obtainCode(person, clientId);
  clock.ahead = 61_000;
  t.match(await exchange(instance, clientId, late.code, late.pkce), { status: 400, body: { error: 'invalid_grant' } });

  const { code, pkce } = await obtainCode(person, clientId);
  const { body } = await exchange(instance, clientId, code, pkce);
  clock.ahead += 59 * MINUTE;
  t.equal(await whoami(instance, body.access_token ?? ''), 200);
  clock.ahead += 2 * MINUTE;
  t.same(await whoami(instance, body.access_token ?? ''), [401, 'invalid_token'], 'after an hour');
  clock.ahead += 29 * DAY;
  await instance.daemon.jobs.runAll();
  clock.ahead += 31 * DAY;
  await instance.daemon.jobs.runAll();
  const count = () =>
    instance.inStore(async ({ read }) => [
      (await read.selectFrom('oauth_records').select('kind').execute()).length,
      (await read.selectFrom('oauth_grants').select('id').execute()).length,
      (await read.selectFrom('oauth_clients').select('id').execute()).length,
    ]);
  t.same(await count(), [0, 0, 1]);
  clock.ahead += 31 * DAY;
  await instance.daemon.jobs.runAll();
  t.same(await count(), [0, 0, 0], 'a client that was unused for 90 days');
});
