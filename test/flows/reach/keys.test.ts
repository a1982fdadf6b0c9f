/** What an agent that obeys the mail it read cannot do to its colleagues and its owner, by its own full key. */

import t from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { cliJson } from '../../harness/cli.ts';
import { request } from '../../harness/domains.ts';
import { startWebhookInstance, type WebhookBox } from '../../harness/http/webhooks.ts';
import type { TestAgent, TestInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

type Endpoint = { id: string; url: string; active: boolean; pending_approval: boolean; mailbox_id: string | null };

const EVENTS = ['message.received', 'message.sent', 'approval.requested'];

const refusalOf = async (instance: TestInstance, agent: TestAgent, method: string, path: string, body?: unknown) => {
  const { status, body: reply } = await request<{ scope?: string }>(instance, agent, method, path, body);
  return [status, reply.error, reply.scope];
};

const mailboxOf = async (instance: TestInstance, agent: TestAgent) =>
  (await instance.client(agent).identity.get({})).mailbox_id;

const hook = async ({ instance, url }: WebhookBox, agent: TestAgent, path: string, more: object = {}) =>
  (await request<Endpoint>(instance, agent, 'POST', '/v1/webhooks', { url: url(path), events: EVENTS, ...more })).body;

const heard = ({ receiver }: WebhookBox) => receiver.requests.map(({ path }) => path);

t.test('a key of its own agent hears, sees, changes, tries and replays no endpoint of another', async (t) => {
  await using box = await startWebhookInstance();
  const { instance, url } = box;
  const { ann, bob } = instance.agents;
  const [ofAnn, ofBob] = [await mailboxOf(instance, ann), await mailboxOf(instance, bob)];
  const wide = await hook(box, ann, '/wide');
  t.equal(wide.mailbox_id, null, 'the first agent of a workspace has it to itself');
  await box.mail('For Ann alone');
  await box.receiver.waitFor(1);
  const [delivery] = await eventually(async () => {
    const { deliveries } = await instance.client(ann).webhooks.deliveries({});
    return deliveries.length === 1 && deliveries;
  });

  const stolen = { url: url('/stolen'), events: EVENTS };
  for (const mailbox of [{}, { mailbox_id: null }, { mailbox_id: ofAnn }]) {
    t.same(await refusalOf(instance, bob, 'POST', '/v1/webhooks', { ...stolen, ...mailbox }), [
      ...[403, 'insufficient_scope', 'workspace'],
    ]);
  }
  const own = await hook(box, bob, '/bob', { mailbox_id: ofBob });
  t.match(own, { mailbox_id: ofBob, pending_approval: false, active: true });
  for (const mailbox_id of [null, ofAnn]) {
    t.same(await refusalOf(instance, bob, 'PATCH', `/v1/webhooks?id=${own.id}`, { mailbox_id }), [
      ...[403, 'insufficient_scope', 'workspace'],
    ]);
  }
  t.same(
    (await instance.client(bob).webhooks.list({})).webhooks.map(({ id }) => id),
    [own.id],
  );
  for (const change of [{ url: url('/stolen') }, { rotate_secret: true }, { active: false }, { mailbox_id: ofBob }]) {
    t.same((await refusalOf(instance, bob, 'PATCH', `/v1/webhooks?id=${wide.id}`, change)).slice(0, 2), [
      ...[404, 'not_found'],
    ]);
  }
  for (const [method, path, body] of [
    ['DELETE', `/v1/webhooks?id=${wide.id}`],
    ['GET', `/v1/webhooks/deliveries?webhook_id=${wide.id}`],
    ['POST', '/v1/webhooks/deliveries', { webhook_id: wide.id }],
    ['POST', '/v1/webhooks/deliveries', { delivery_id: delivery?.delivery_id }],
    ['POST', '/v1/webhooks/deliveries', { webhook_id: own.id, delivery_id: delivery?.delivery_id }],
  ] as const) {
    t.equal((await refusalOf(instance, bob, method, path, body))[0], 404, `${method} ${path}`);
  }
  t.same((await instance.client(bob).webhooks.deliveries({})).deliveries, []);
  t.same(heard(box), ['/wide'], 'nothing of Ann went to Bob');

  // What the agent heard by a wider key is not heard again by a narrow one.
  const { key } = await cliJson(instance.configPath, 'keys', 'add', 'bob', '--reach', 'workspace');
  const wideBob = { ...bob, key: String(key) };
  const made = await hook(box, wideBob, '/wide-bob');
  await box.mail('Again for Ann');
  await eventually(async () => heard(box).includes('/wide-bob'));
  const again = await eventually(async () => {
    const { deliveries } = await instance.client(wideBob).webhooks.deliveries({ webhook_id: made.id });
    return deliveries[0];
  });
  t.equal(
    (await refusalOf(instance, bob, 'POST', '/v1/webhooks/deliveries', { delivery_id: again.delivery_id }))[0],
    404,
  );
  t.match((await instance.client(wideBob).webhooks.list({})).webhooks, [
    { id: wide.id },
    { id: own.id },
    { id: made.id },
  ]);
  t.same(instance.faults, []);
});

t.test("a person's endpoints are out of every key's reach", async (t) => {
  await using box = await startWebhookInstance();
  const { instance } = box;
  const { ann } = instance.agents;
  const { id } = await hook(box, ann, '/owner');
  await instance.inStore((store) =>
    store.write(async (tx) => {
      await tx.db.updateTable('webhooks').set({ made_by: null }).execute();
    }),
  );
  t.same((await instance.client(ann).webhooks.list({})).webhooks, []);
  t.equal((await refusalOf(instance, ann, 'PATCH', `/v1/webhooks?id=${id}`, { active: false }))[0], 404);
  t.equal((await refusalOf(instance, ann, 'DELETE', `/v1/webhooks?id=${id}`))[0], 404);
  t.same(instance.faults, []);
});

t.test('what a workspace shares is read and not changed; what a person suppressed stays', async (t) => {
  await using box = await startWebhookInstance();
  const { instance } = box;
  const { ann, bob } = instance.agents;
  const { body: added } = await request<{ id: string }>(instance, ann, 'POST', '/v1/domains', { domain: 'acme.test' });
  for (const [method, path, body] of [
    ['POST', '/v1/domains', { domain: 'attacker.test' }],
    ['POST', `/v1/domains/${added.id}/verify`],
    ['DELETE', `/v1/domains?id=${added.id}`],
    ['POST', '/v1/mailboxes', { handle: 'phisher' }],
  ] as const) {
    t.same(await refusalOf(instance, bob, method, path, body), [403, 'insufficient_scope', 'workspace'], path);
  }
  t.equal((await request(instance, bob, 'GET', '/v1/domains')).status, 200);
  t.equal((await request(instance, bob, 'GET', '/v1/mailboxes')).status, 200);

  await instance.suppress('customer@remote.test');
  for (const agent of [ann, bob]) {
    const path = '/v1/suppressions/customer@remote.test';
    t.same((await refusalOf(instance, agent, 'DELETE', path)).slice(0, 2), [403, 'insufficient_scope']);
  }
  t.match(await instance.client(ann).suppressions.list({}), { suppressions: [{ address: 'customer@remote.test' }] });

  const { key } = await cliJson(
    instance.configPath,
    'keys',
    'add',
    'ann',
    '--scopes',
    'mail:read,mail:send',
    '--reach',
    'workspace',
  );
  const sender = { ...ann, key: String(key) };
  for (const [method, path, body] of [
    ['POST', '/v1/domains', { domain: 'attacker.test' }],
    ['POST', '/v1/mailboxes', { handle: 'phisher' }],
    ['PATCH', '/v1/identity', { display_name: 'The Boss' }],
    ['POST', '/v1/identity/rules', { match: 'domain', value: 'x.test', action: 'allow' }],
    ['DELETE', `/v1/messages/${crypto.randomUUID()}`],
    ['DELETE', '/v1/suppressions/customer@remote.test'],
  ] as const) {
    t.same(await refusalOf(instance, sender, method, path, body), [403, 'insufficient_scope', 'manage'], path);
  }
  await using tools = await connectMcp(instance, bob);
  t.match((await tools.call('add_domain', { domain: 'attacker.test' })).refusal, { error: 'insufficient_scope' });
  t.same(instance.faults, []);
});

t.test('the endpoint of a held agent hears nothing before a person has allowed it', async (t) => {
  await using box = await startWebhookInstance();
  const { instance, url } = box;
  const { ann } = instance.agents;
  const cli = (...words: string[]) => cliJson(instance.configPath, ...words);
  await cli('agents', 'hold', 'ann');
  const made = await hook(box, ann, '/held');
  t.match(made, { pending_approval: true, active: false });
  t.equal((await refusalOf(instance, ann, 'POST', '/v1/webhooks/deliveries', { webhook_id: made.id }))[0], 400);
  t.match(await instance.client(ann).pending.listPending({}), {
    pending: [{ pending_id: made.id, reason: 'endpoint_waits', subject: `Webhook endpoint ${url('/held')}` }],
  });
  t.match(await instance.client(ann).pending.getPending({ id: made.id }), { status: 'pending' });
  t.match((await instance.events()).find(({ name }) => name === 'approval.requested')?.data, {
    ...{ pending_id: made.id, webhook_id: made.id, reason: 'endpoint_waits', mailbox: ann.address, expires_at: null },
  });
  await cli('agents', 'hold', 'ann', '--off');
  t.match((await instance.client(ann).webhooks.list({})).webhooks, [{ pending_approval: true }], 'no decision');
  await cli('agents', 'hold', 'ann');
  await box.mail('Before');
  await eventually(async () => (await instance.client(ann).messages.list({})).messages.length === 1);
  t.match(await cli('pending', 'list'), { pending: [{ pending_id: made.id, agent: 'ann', reason: 'endpoint_waits' }] });
  t.match(await cli('pending', 'show', made.id), { text: /\/held/, digest: /^[0-9a-f]{64}$/ });
  const other = await request(instance, ann, 'PATCH', `/v1/webhooks?id=${made.id}`, { url: url('/other') });
  t.match(other, { status: 400, body: { error: 'invalid_request', hint: /waits for a person/ } }, 'it was shown');
  t.match(await cli('pending', 'approve', made.id), { status: 'approved', decided_by: /^cli:/ });
  t.match((await instance.events()).find(({ name }) => name === 'approval.approved')?.data, {
    ...{ pending_id: made.id, webhook_id: made.id, message_id: null },
  });
  t.same(heard(box), []);
  await box.mail('After');
  await box.receiver.waitFor(1);
  t.match(heard(box), ['/held']);

  // An allowed endpoint is not turned to another host.
  const moved = await request<Endpoint>(instance, ann, 'PATCH', `/v1/webhooks?id=${made.id}`, { url: url('/moved') });
  t.match(moved.body, { pending_approval: true });
  t.match((await request<Endpoint>(instance, ann, 'PATCH', `/v1/webhooks?id=${made.id}`, { active: true })).body, {
    pending_approval: true,
  });
  box.pass(DAY);
  await box.mail('To the moved one');
  t.match(await cli('pending', 'reject', made.id, '--yes', '--note', 'No.'), { status: 'rejected' });
  t.match((await instance.events()).find(({ name }) => name === 'approval.rejected')?.data, {
    ...{ webhook_id: made.id, decision_note: 'No.' },
  });
  t.same((await instance.client(ann).webhooks.list({})).webhooks, []);
  t.notOk(heard(box).includes('/moved'));
  t.same(instance.faults, []);
});

t.test('endpoints of a suspended agent hear nothing meanwhile', async (t) => {
  await using box = await startWebhookInstance();
  const { instance } = box;
  const { ann, bob } = instance.agents;
  const ofBob = await hook(box, bob, '/bob', { mailbox_id: await mailboxOf(instance, bob), events: ['message.sent'] });
  await hook(box, ann, '/ann', { events: ['workspace.paused'] });
  await cliJson(instance.configPath, 'agents', 'suspend', 'ann');
  await cliJson(instance.configPath, 'workspaces', 'pause', 'acme', '--reason', 'testing');
  await cliJson(instance.configPath, 'workspaces', 'resume', 'acme');
  await instance.client(bob).messages.send({ to: ['x@remote.test'], subject: 'Hi', body: 'Hi' });
  await box.receiver.waitFor(1);
  await cliJson(instance.configPath, 'agents', 'resume', 'ann');
  box.pass(DAY);
  await cliJson(instance.configPath, 'workspaces', 'pause', 'acme', '--reason', 'again');
  await eventually(async () => heard(box).includes('/ann'));
  t.same(heard(box), ['/bob', '/ann'], 'what happened meanwhile is not told later');
  t.ok(ofBob.id);
  t.same(instance.faults, []);
});

t.test('nor does one that a person allows meanwhile', async (t) => {
  await using box = await startWebhookInstance();
  const { instance } = box;
  const { ann } = instance.agents;
  const cli = (...words: string[]) => cliJson(instance.configPath, ...words);
  await cli('agents', 'hold', 'ann');
  const made = await hook(box, ann, '/ann', { events: ['workspace.paused'] });
  await cli('agents', 'suspend', 'ann');
  t.match(await cli('pending', 'approve', made.id), { status: 'approved' });
  t.match((await instance.client(ann).webhooks.list({})).webhooks, [{ active: false, pending_approval: false }]);
  await cli('workspaces', 'pause', 'acme', '--reason', 'testing');
  await cli('workspaces', 'resume', 'acme');
  await cli('agents', 'resume', 'ann');
  await cli('workspaces', 'pause', 'acme', '--reason', 'again');
  await box.receiver.waitFor(1);
  t.match(
    box.receiver.requests.map(({ body }) => String(body)),
    [/again/],
  );
  t.same(instance.faults, []);
});
