/** What a connection leaves behind when it ends, or when its owner reaches less than before: nothing that goes on. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import { openStream } from '../../harness/http/event-stream.ts';
import { startWebhookInstance, type WebhookBox } from '../../harness/http/webhooks.ts';
import type { TestInstance } from '../../harness/instance.ts';
import { callTool, currentRequest } from '../../harness/mcp/current-request.ts';
import { mcpRequest, toolCall } from '../../harness/mcp/mcp-request.ts';
import { connect, OWNER, refresh, signIn } from '../../harness/oauth/oauth-client.ts';
import { asOperator, listActs } from '../../harness/operator.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const { agents, connections, owners } = contracts;
const HOUR = 3_600_000;
const EVENTS = ['message.sent'];
const LATER = 'second@remote.test';

const addHook = async ({ instance, url }: WebhookBox, key: string, path: string, more: object = {}, agent?: string) => {
  const options = agent === undefined ? {} : { agent };
  const { result } = await callTool(
    instance,
    key,
    'create_webhook',
    { url: url(path), events: EVENTS, ...more },
    options,
  );
  return result?.structuredContent as { id: string; mailbox_id: string | null };
};

const mailboxOf = async (instance: TestInstance, agent: 'ann' | 'bob') =>
  (await instance.client(instance.agents[agent]).identity.get({})).mailbox_id;

/** Of an agent's own mailbox. */
const addOwnHook = async (box: WebhookBox, key: string, path: string, agent: 'ann' | 'bob') =>
  addHook(box, key, path, { mailbox_id: await mailboxOf(box.instance, agent) }, agent);

const send = (instance: TestInstance, agent: 'ann' | 'bob') =>
  instance.client(instance.agents[agent]).messages.send({ to: ['a@remote.test'], subject: 'Hi', body: 'Hi' });

/** Every endpoint that is there. */
const listHooks = async ({ inStore }: TestInstance) =>
  inStore(async ({ read }) => {
    const rows = await read.selectFrom('webhooks').select('url').execute();
    return rows.map(({ url }) => new URL(url).pathname).sort();
  });

const heardBy = (instance: TestInstance, path: string): Promise<number> =>
  instance.inStore(async ({ read }) => {
    const rows = await read
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select('webhooks.url')
      .execute();
    return rows.filter(({ url }) => url.endsWith(path)).length;
  });

/** The owner's second workspace with the agent cleo; the first one has a second owner. */
const addSecondWorkspace = async ({ instance }: WebhookBox) => {
  const other = await instance.addWorkspace('Other');
  await asOperator(instance, (call) => call(owners.add, { email: LATER, workspace: 'acme' }));
  return { instance, cleo: await instance.addAgent('cleo', other), person: await signIn(instance) };
};

const withScopes = (...agents: string[]) => ({ scopes: ['mail:read', 'mail:send', 'offline_access'], agents });

t.test('a connection hears the agents that it is for, by endpoints of its own', async (t) => {
  await using box = await startWebhookInstance();
  const { instance, url } = box;
  const person = await signIn(instance);
  const { accessToken: key } = await connect(instance, { person, decision: withScopes('ann') });
  const [ann, bob] = [await mailboxOf(instance, 'ann'), await mailboxOf(instance, 'bob')];
  const keys = await instance
    .client(instance.agents.ann)
    .webhooks.create({ url: url('/keys'), events: ['message.sent'] });
  for (const mailbox of [{}, { mailbox_id: null }, { mailbox_id: bob }]) {
    t.match(await callTool(instance, key, 'create_webhook', { url: url('/x'), events: EVENTS, ...mailbox }), {
      result: { isError: true, content: [{ text: /insufficient_scope.*workspace/ }] },
    });
  }
  const made = await addHook(box, key, '/app', { mailbox_id: ann });
  for (const [change, wanted] of [
    [
      { webhook_id: made.id, mailbox_id: null },
      { isError: true, content: [{ text: /insufficient_scope/ }] },
    ],
    [
      { webhook_id: made.id, mailbox_id: bob },
      { isError: true, content: [{ text: /insufficient_scope/ }] },
    ],
    [
      { webhook_id: keys.id, url: url('/stolen') },
      { isError: true, content: [{ text: /not_found/ }] },
    ],
  ] as const) {
    t.match((await callTool(instance, key, 'update_webhook', change)).result, wanted);
  }
  t.match((await callTool(instance, key, 'delete_webhook', { webhook_id: keys.id })).result, { isError: true });
  t.match((await callTool(instance, key, 'test_webhook', { webhook_id: keys.id })).result, { isError: true });
  const { result } = await callTool(instance, key, 'list_webhooks');
  t.same(
    ((result?.structuredContent?.webhooks ?? []) as { id: string }[]).map(({ id }) => id),
    [made.id],
  );

  await send(instance, 'bob');
  await send(instance, 'ann');
  await box.receiver.waitFor(3);
  t.same([await heardBy(instance, '/app'), await heardBy(instance, '/keys')], [1, 2]);
  const all = await eventually(async () => {
    const { deliveries } = await instance.client(instance.agents.ann).webhooks.deliveries({});
    return deliveries.length === 3 && deliveries;
  });
  const answer = (await callTool(instance, key, 'list_deliveries')).result?.structuredContent;
  const own = (answer?.deliveries ?? []) as { webhook_id: string; delivery_id: string }[];
  t.same(
    own.map(({ webhook_id: id }) => id),
    [made.id],
  );
  const ofBob = all.find(({ delivery_id: id }) => !own.some((each) => each.delivery_id === id));
  t.match((await callTool(instance, key, 'replay_delivery', { delivery_id: ofBob?.delivery_id })).result, {
    isError: true,
    content: [{ text: /not_found/ }],
  });

  const wide = await connect(instance, { person, decision: { ...withScopes('*'), isWide: true } });
  t.equal((await addHook(box, wide.accessToken, '/wide', {}, 'ann')).mailbox_id, null);
  t.same(instance.faults, []);
});

t.test(
  'the endpoints that a connection made end with it, whichever way it ends, and mail that it booked is cancelled',
  async (t) => {
    await using box = await startWebhookInstance();
    const { instance, clock, url } = box;
    await asOperator(instance, (call) => call(owners.add, { email: LATER, workspace: 'acme' }));
    const person = await signIn(instance);
    const keys = await instance
      .client(instance.agents.ann)
      .webhooks.create({ url: url('/keys'), events: ['message.sent'] });
    const open = async () => {
      const connected = await connect(instance, { person, decision: withScopes('ann') });
      return { ...connected, hook: await addOwnHook(box, connected.accessToken, '/app', 'ann') };
    };

    const revoked = await open();
    const send_at = new Date(clock.now() + 24 * HOUR).toISOString();
    const mail = { to: ['a@remote.test'], subject: 'Later', body: 'Later' };
    t.match((await callTool(instance, revoked.accessToken, 'send_message', { ...mail, send_at })).result, {
      structuredContent: { status: 'scheduled' },
    });
    const [connection] = (await asOperator(instance, (call) => call(connections.list, {}))).connections;
    t.match(await cliJson(instance.configPath, 'connections', 'revoke', connection?.id ?? '', '--yes'), {
      webhooks: [{ id: revoked.hook.id, url: url('/app') }],
      scheduled: [{ to: ['a@remote.test'], subject: 'Later', send_at }],
    });
    t.match((await listActs(instance))[0], {
      action: 'connection.revoke',
      detail: { webhooks_ended: [revoked.hook.id] },
    });
    await send(instance, 'ann');
    t.match(
      (await box.receiver.waitFor(1)).map(({ path }) => path),
      ['/keys'],
    );
    t.same(await listHooks(instance), ['/keys']);
    t.same((await instance.client(instance.agents.ann).scheduled.listScheduled({})).scheduled, []);

    const reused = await open();
    await refresh(instance, reused.clientId, reused.refreshToken);
    await refresh(instance, reused.clientId, reused.refreshToken);
    t.same(await listHooks(instance), ['/keys'], 'by the reuse of a refresh token');
    t.match((await listActs(instance))[0], { action: 'connection.end', detail: { webhooks_ended: [reused.hook.id] } });

    const ofAnn = await connect(instance, { person, decision: withScopes('ann') });
    const both = await connect(instance, { person, decision: withScopes('ann', 'bob') });
    await addOwnHook(box, ofAnn.accessToken, '/ann', 'ann');
    await addOwnHook(box, both.accessToken, '/both-ann', 'ann');
    await addOwnHook(box, both.accessToken, '/both-bob', 'bob');
    const wide = await connect(instance, { person, decision: { ...withScopes('ann', 'bob'), isWide: true } });
    await addHook(box, wide.accessToken, '/wide', {}, 'bob');
    const removed = await asOperator(instance, (call) => call(agents.remove, { agent: 'ann' }));
    t.match(removed, { webhooks: [{ id: keys.id }], ended: { connections: [{ client_name: 'Desk Companion' }] } });
    t.same(removed.ended.webhooks.map((each) => new URL(each.url).pathname).sort(), ['/ann', '/both-ann']);
    t.same(await listHooks(instance), ['/both-bob', '/wide'], 'with its agent, and those of its keys');
    t.equal((await callTool(instance, both.accessToken, 'whoami')).status, 200, 'what is left of it goes on');

    const gone = await cliJson(instance.configPath, 'owners', 'remove', OWNER, '--workspace', 'acme', '--yes');
    t.match(gone, { ended: { connections: [{}, {}] } });
    t.same(await listHooks(instance), [], 'with its owner');

    const second = await signIn(instance, undefined, LATER);
    const last = await connect(instance, { person: second, decision: withScopes('*') });
    await addOwnHook(box, last.accessToken, '/app', 'bob');
    clock.pass(29 * 24 * HOUR);
    await instance.daemon.jobs.runAll();
    t.same(await listHooks(instance), ['/app']);
    clock.pass(2 * 24 * HOUR);
    await instance.daemon.jobs.runAll();
    t.same(await listHooks(instance), [], 'by time');
    t.same(instance.faults, []);
  },
);

t.test('agents and workspaces that an owner loses leave the connections for good', async (t) => {
  await using box = await startWebhookInstance();
  const { instance, cleo, person } = await addSecondWorkspace(box);
  const approve = (...handles: string[]) => connect(instance, { person, decision: withScopes(...handles) });
  const [one, both, every] = [await approve('ann'), await approve('ann', 'cleo'), await approve('*')];
  await addOwnHook(box, every.accessToken, '/every-ann', 'ann');
  const { mailbox_id } = await instance.client(cleo).identity.get({});
  await addHook(box, every.accessToken, '/every-cleo', { mailbox_id }, 'cleo');
  await asOperator(instance, (call) => call(owners.remove, { email: OWNER, workspace: 'acme' }));
  t.same(await listHooks(instance), ['/every-cleo']);
  const listed = await asOperator(instance, (call) => call(connections.list, {}));
  t.same(
    listed.connections.map((each) => each.agents),
    [null, ['cleo']],
  );
  await asOperator(instance, (call) => call(owners.add, { email: OWNER, workspace: 'acme' }));
  t.equal((await callTool(instance, one.accessToken, 'whoami')).status, 401, 'nothing revives');
  t.match(await callTool(instance, both.accessToken, 'whoami'), { result: { structuredContent: { handle: 'cleo' } } });
  t.equal((await callTool(instance, both.accessToken, 'whoami', {}, { agent: 'ann' })).status, 403);
  t.equal((await callTool(instance, every.accessToken, 'whoami', {}, { agent: 'ann' })).status, 200);
  t.same(instance.faults, []);
});

t.test('waits under way end with what they are for, in both eras, and those of keys', async (t) => {
  await using box = await startWebhookInstance();
  const { instance, cleo, person } = await addSecondWorkspace(box);
  const { accessToken: key } = await connect(instance, { person, decision: withScopes('*') });
  const WAIT = { timeout_seconds: 50 };

  /** Begins a wait in each era. @returns what they came to: an answer of the tool is told as such */
  const waitAs = async (agent: string): Promise<Promise<('answered' | 'ended')[]>[]> => {
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const as = { 'x-svc-agent': agent };
    const opened = await mcpRequest(
      instance,
      { key },
      {
        headers: as,
        body: {
          jsonrpc: '2.0',
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hand', version: '1' } },
        },
      },
    );
    const session = { ...as, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const earlier = mcpRequest(
      instance,
      { key },
      {
        headers: { ...session, 'mcp-protocol-version': '2025-06-18' },
        body: toolCall(1, 'wait_for_email', WAIT),
        onReply: () => begun[0]?.resolve(),
      },
    );
    const current = currentRequest(
      instance,
      key,
      'tools/call',
      { name: 'wait_for_email', arguments: WAIT },
      { agent, onReply: () => begun[1]?.resolve() },
    );
    await begun[0]?.promise;
    const ends = [earlier, current].map((each) =>
      each.then(
        (reply) => (/"timed_out"/.test(reply.body) ? ('answered' as const) : ('ended' as const)),
        () => 'ended' as const,
      ),
    );
    return [Promise.all(ends)];
  };
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const from = Date.now();
    const done = await work;
    t.ok(Date.now() - from < 20_000, 'within seconds');
    return done;
  };

  const [ofCleo] = await waitAs('cleo');
  const [ofAnn] = await waitAs('ann');
  await asOperator(instance, (call) => call(owners.remove, { email: OWNER, workspace: 'acme' }));
  t.same(await timed(ofAnn ?? Promise.resolve([])), ['ended', 'ended'], 'the owner lost the workspace');
  await using stream = await openStream(instance, cleo);
  const restWait = instance.request(cleo, 'GET', '/v1/messages/wait?timeout=50');
  await asOperator(instance, (call) => call(agents.remove, { agent: 'cleo' }));
  t.same(await timed(ofCleo ?? Promise.resolve([])), ['ended', 'ended'], 'the agent was removed');
  t.equal((await timed(restWait)).status, 401);
  t.same(await timed(stream.rest()), []);
  t.same(instance.faults, []);
});
