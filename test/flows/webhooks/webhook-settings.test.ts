import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRuntime } from '../../../src/app/instance.ts';
import { createIdSource, type WebhookId } from '../../../src/kernel/ids.ts';
import { findWebhookById, insertWebhook } from '../../../src/store/events/webhooks.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';

const EVENTS = ['message.received'];
const MISSING = '019aa000-0000-7000-8000-000000000000';

t.test('every refusal of a setting has its name, and changes nothing', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { ann } = instance.agents;
  instance.dns.zone.set('inside.test', 'A', ['10.1.2.3']);
  const url = hooks.url();
  const { id } = await instance.client(ann).webhooks.create({ url, events: ['message.received'] });
  const before = await instance.client(ann).webhooks.list({});
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'a']));
  const settings: [setting: Record<string, unknown>, status: number, code: string][] = [
    [{ url: 'http://hooks.test/' }, 400, 'https_url_required'],
    [{ url: 'hooks.test' }, 400, 'https_url_required'],
    [{ url: 7 }, 400, 'https_url_required'],
    [{ url: `https://hooks.test/${'a'.repeat(3000)}` }, 400, 'invalid_request'],
    [{ url: 'https://user@hooks.test/' }, 400, 'credentials_in_url'],
    [{ url: 'https://user:word@hooks.test/' }, 400, 'credentials_in_url'],
    [{ url: 'https://hooks.test/?Access_Token=1' }, 400, 'credentials_in_url'],
    [{ url: 'https://hooks.test/?a=b&sig=1' }, 400, 'credentials_in_url'],
    [{ url: 'https://10.0.0.1/' }, 400, 'private_url_not_allowed'],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 400, 'private_url_not_allowed'],
    [{ url: 'https://inside.test/' }, 400, 'private_url_not_allowed'],
    [{ events: [] }, 400, 'events_required'],
    [{ events: null }, 400, 'events_required'],
    [{ events: 'message.received' }, 400, 'invalid_request'],
    [{ events: ['message.read'] }, 400, 'invalid_request'],
    [{ mailbox_id: MISSING }, 400, 'invalid_request'],
    [{ headers: many }, 400, 'too_many_headers'],
    [{ headers: { 'x y': 'a' } }, 400, 'invalid_header_name'],
    [{ headers: { '': 'a' } }, 400, 'invalid_header_name'],
    [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, 400, 'invalid_header_name'],
    [{ headers: { 'x-a': 'b\r\nx-c: d' } }, 400, 'invalid_header_value'],
    [{ headers: { 'x-a': 'b\u0000' } }, 400, 'invalid_header_value'],
    [{ headers: { 'x-a': '☃' } }, 400, 'invalid_header_value'],
    [{ headers: { 'x-a': 1 } }, 400, 'invalid_header_value'],
    ...[
      'Content-Type',
      'content-length',
      'HOST',
      'connection',
      'transfer-encoding',
      'upgrade',
      'te',
      'trailer',
      'Expect',
      'keep-alive',
      'x-request-id',
      'X-Svc-Signature',
      'x-svc-anything',
      'x-webhook-timestamp',
      'webhook-id',
    ].map((name): [Record<string, unknown>, number, string] => [
      { headers: { [name]: 'a' } },
      400,
      'reserved_header_name',
    ]),
    [{ template: 'text' }, 400, 'invalid_template'],
    [{ template: [] }, 400, 'invalid_template'],
    [{ template: { a: '{{subject}}' } }, 400, 'invalid_template'],
    [{ template: { a: [{ '{{data}}': 1 }] } }, 400, 'invalid_template'],
    [{ template: { a: '{{data.a.b}}' } }, 400, 'invalid_template'],
    [{ template: { a: '{{}}' } }, 400, 'invalid_template'],
    [{ template: { a: 'x'.repeat(33_000) } }, 400, 'template_too_large'],
    [{ something: 1 }, 400, 'invalid_request'],
  ];
  for (const [setting, status, code] of settings) {
    const name = JSON.stringify(setting).slice(0, 80);
    const created = await instance.request(ann, 'POST', '/v1/webhooks', { url, events: EVENTS, ...setting });
    t.match({ status: created.status, ...((await created.json()) as object) }, { status, error: code }, name);
    const updated = await instance.request(ann, 'PATCH', `/v1/webhooks?id=${id}`, setting);
    t.match({ status: updated.status, ...((await updated.json()) as object) }, { status, error: code }, name);
  }
  const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`;
  const nested = await fetch(new URL('/v1/webhooks', instance.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
    body: `{"url":"${url}","events":["message.received"],"template":${deep}}`,
  });
  t.match({ status: nested.status, ...((await nested.json()) as object) }, { status: 400, error: 'invalid_template' });
  t.same(await instance.client(ann).webhooks.list({}), before);
  t.same(instance.faults, []);
});

t.test('without the vault key no secret is made', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  rmSync(join(instance.directory, 'vault.key'));
  await instance.restart();
  const body = { url: hooks.url(), events: EVENTS };
  const refused = await instance.request(instance.agents.ann, 'POST', '/v1/webhooks', body);
  t.match(
    { status: refused.status, ...((await refused.json()) as object) },
    { status: 503, error: 'vault_unavailable' },
  );
  t.same(await instance.client(instance.agents.ann).webhooks.list({}), { webhooks: [] });
});

t.test('what is missing, and what is not there', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { ann } = instance.agents;
  const other = await instance.addAgent('eve', await instance.addWorkspace('Other'));
  const { id } = await instance.client(ann).webhooks.create({ url: hooks.url(), events: ['message.received'] });
  const cases: [method: string, path: string, body: unknown, status: number, code: string][] = [
    ['POST', '/v1/webhooks', { events: EVENTS }, 400, 'https_url_required'],
    ['POST', '/v1/webhooks', { url: hooks.url() }, 400, 'events_required'],
    ['PATCH', '/v1/webhooks', { active: true }, 400, 'id_required'],
    ['PATCH', `/v1/webhooks?id=${id}`, {}, 400, 'nothing_to_update'],
    ['PATCH', `/v1/webhooks?id=${MISSING}`, { active: true }, 404, 'not_found'],
    ['PATCH', '/v1/webhooks?id=x', { active: true }, 404, 'not_found'],
    ['DELETE', '/v1/webhooks', undefined, 400, 'id_required'],
    ['DELETE', `/v1/webhooks?id=${MISSING}`, undefined, 404, 'not_found'],
    ['GET', `/v1/webhooks/deliveries?webhook_id=${MISSING}`, undefined, 404, 'not_found'],
    ['GET', '/v1/webhooks/deliveries?limit=101', undefined, 400, 'invalid_request'],
    ['GET', '/v1/webhooks/deliveries?before=yesterday', undefined, 400, 'invalid_request'],
    ['POST', '/v1/webhooks/deliveries', {}, 400, 'invalid_request'],
    ['POST', '/v1/webhooks/deliveries', { webhook_id: MISSING }, 404, 'not_found'],
    ['POST', '/v1/webhooks/deliveries', { delivery_id: 'evt_nothing' }, 404, 'not_found'],
    ['POST', '/v1/webhooks/deliveries', { delivery_id: MISSING, webhook_id: id }, 404, 'not_found'],
  ];
  for (const [method, path, body, status, code] of cases) {
    const response = await instance.request(ann, method, path, body);
    t.match(
      { status: response.status, ...((await response.json()) as object) },
      { status, error: code },
      `${method} ${path}`,
    );
  }
  for (const [method, path, body] of [
    ['PATCH', `/v1/webhooks?id=${id}`, { active: false }],
    ['DELETE', `/v1/webhooks?id=${id}`, undefined],
    ['GET', `/v1/webhooks/deliveries?webhook_id=${id}`, undefined],
    ['POST', '/v1/webhooks/deliveries', { webhook_id: id }],
  ] as const) {
    t.equal((await instance.request(other, method, path, body)).status, 404, `another workspace: ${method} ${path}`);
  }
  t.same(await instance.client(ann).webhooks.remove({ id }), { deleted: true });
  t.same(await instance.client(ann).webhooks.list({}), { webhooks: [] });
});

t.test("the plan's endpoints are counted, and freed", async (t) => {
  const plans = `[free]\nvelocity_floor = 20\nduplicate_recipients = 10\n[pro]\nvelocity_floor = 20\nduplicate_recipients = 10
[unlimited]\nwebhook_endpoints = 2\nvelocity_floor = 20\nduplicate_recipients = 10`;
  await using hooks = await startWebhookInstance({ plans });
  const { instance } = hooks;
  const { ann } = instance.agents;
  const { webhooks } = instance.client(ann);
  const create = () => webhooks.create({ url: hooks.url(), events: ['message.received'] });
  const { id } = await create();
  await create();
  const refused = await instance.request(ann, 'POST', '/v1/webhooks', { url: hooks.url(), events: EVENTS });
  t.equal(refused.status, 402);
  t.match(await refused.json(), { error: 'webhook_limit_reached', included: 2, used: 2 });
  await webhooks.remove({ id });
  t.match(await create(), { active: true });
});

t.test('a plan without a limit has one all the same: each event has a row for each endpoint', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { ann } = instance.agents;
  const url = hooks.url();
  const { id } = await instance.client(ann).webhooks.create({ url, events: ['message.received'] });
  const newId = createIdSource(systemRuntime.clock, systemRuntime.random);
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const first = await findWebhookById(tx.db, id as WebhookId);
      for (let more = 1; first && more < 1_000; more += 1) await insertWebhook(tx, { ...first, id: newId() });
    }),
  );
  const refused = await instance.request(ann, 'POST', '/v1/webhooks', { url, events: EVENTS });
  t.match(await refused.json(), { error: 'webhook_limit_reached', included: 1_000, used: 1_000 });
});

t.test('fields that are left out keep their value; null widens and clears', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { webhooks, identity } = instance.client(instance.agents.ann);
  const { mailbox_id } = await identity.get({});
  const created = await webhooks.create({
    url: hooks.url('/a'),
    events: ['message.received', 'message.received', 'domain.verified', 'message.complained'],
    mailbox_id,
    headers: { 'x-a': '1', 'x-b': '2' },
    template: { a: '{{ event }}' },
  });
  t.same(created.events, ['message.received', 'domain.verified', 'message.complained']);
  const { id, secret: _, ...before } = created;
  const url = hooks.url('/b');
  const { updated_at, ...changed } = await webhooks.update({ id, url });
  t.ok(updated_at >= before.updated_at);
  t.same({ ...changed, updated_at: before.updated_at }, { id, ...before, url });
  t.match(await webhooks.update({ id, mailbox_id: null, headers: {}, template: null }), {
    mailbox_id: null,
    header_names: [],
    template: null,
    url,
  });
});

t.test("an endpoint's headers are sent to no other host than they were given for", async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { ann } = instance.agents;
  const headers = { authorization: 'Bearer for-this-host' };
  const { id } = await instance
    .client(ann)
    .webhooks.create({ url: hooks.url(), events: ['message.received'], headers });
  const patch = (body: object) => instance.request(ann, 'PATCH', `/v1/webhooks?id=${id}`, body);
  instance.dns.zone.set('elsewhere.test', 'A', ['127.0.0.1']);
  const refused = await patch({ url: 'https://elsewhere.test/' });
  t.equal(refused.status, 400);
  t.match(await refused.json(), { error: 'invalid_request', hint: /Another host needs `headers` again/ });
  t.match(await instance.client(ann).webhooks.list({}), { webhooks: [{ url: hooks.url() }] });
  t.equal((await patch({ url: new URL('/other', hooks.url()).href })).status, 200, 'a path of the same host');
  t.equal((await patch({ url: 'https://elsewhere.test/', headers: {} })).status, 200);
  t.match(await instance.client(ann).webhooks.list({}), {
    webhooks: [{ url: 'https://elsewhere.test/', header_names: [] }],
  });
  t.same(instance.faults, []);
});
