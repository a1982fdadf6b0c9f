import t from 'tap';
import { SECOND } from '../../../src/kernel/clock.ts';
import { startHttpReceiver } from '../../harness/http/http-receiver.ts';
import { envelopeIn, faultOfSignature, HOOKS, startWebhookInstance } from '../../harness/http/webhooks.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

t.test('a test returns the whole result, and success resets the failures', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id, secret } = await webhooks.create({
    url: hooks.url(),
    events: ['message.sent'],
    headers: { 'x-own': '1' },
  });
  receiver.answer((_request, response) => response.writeHead(503, { 'retry-after': '600' }).end('down'));
  await instance
    .client(instance.agents.ann)
    .messages.send({ to: [instance.agents.bob.address], subject: 'x', body: 'y' });
  await eventually(async () => (await webhooks.deliveries({})).deliveries.length === 1);
  const received = async () => (await instance.events()).filter(({ name }) => name === 'message.received').length;
  await eventually(async () => (await received()) === 1);
  const failed = await webhooks.test({ webhook_id: id });
  t.match(failed, { delivered: false, status_code: 503, response_body: 'down', error: null });
  t.match(
    await webhooks.list({}),
    { webhooks: [{ failure_count: 1, active: true }] },
    'one that fails counts for nothing',
  );

  receiver.answer((_request, response) => response.end('ok'));
  await webhooks.update({ id, active: false });
  const landed = await webhooks.test({ webhook_id: id });
  t.match(landed, { delivered: true, status_code: 200, response_body: 'ok', error: null });
  t.match(await webhooks.list({}), { webhooks: [{ failure_count: 0, active: false }] }, 'its state stays');
  const request = receiver.requests.at(-1);
  if (!request) return;
  t.match(request.headers, {
    'x-svc-event': 'message.received',
    'x-own': '1',
    'x-svc-delivery-id': landed.delivery_id,
  });
  t.equal(faultOfSignature(request, secret), null);
  const { event, data } = envelopeIn(request);
  t.equal(event, 'message.received');
  t.same(Object.keys(data), ['message_id', 'thread_id', 'mailbox', 'from', 'subject', 'snippet', 'spam_verdict']);

  receiver.answer((_request, response) => response.writeHead(410).end());
  await webhooks.update({ id, active: true });
  t.match(await webhooks.test({ webhook_id: id }), { delivered: false, status_code: 410 });
  t.match(await webhooks.list({}), { webhooks: [{ active: true, failure_count: 0 }] });
  t.equal((await webhooks.deliveries({})).deliveries.length, 1, 'tests are not in the log');
  t.equal(await received(), 1, 'and no event');
});

t.test('a redelivery sends the stored bytes under their id, signed anew, and queues nothing', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  await using second = await startHttpReceiver(HOOKS);
  const { webhooks } = instance.client(instance.agents.ann);
  const one = await webhooks.create({ url: hooks.url('/one'), events: ['message.received'] });
  await hooks.mail('Replay me');
  const [first] = await receiver.waitFor(1);
  const log = await eventually(async () => {
    const { deliveries } = await webhooks.deliveries({});
    return deliveries.length === 1 && deliveries;
  });
  const delivery_id = log[0]?.delivery_id ?? '';
  hooks.clock.pass(400 * SECOND);
  receiver.answer((_request, response) => response.writeHead(404).end('x'.repeat(10_000)));
  const missed = await webhooks.test({ delivery_id });
  t.match(missed, { delivery_id, delivered: false, status_code: 404 });
  t.equal(missed.response_body?.length, 4096);
  const again = receiver.requests[1];
  if (!first || !again) return;
  t.ok(again.body.equals(first.body));
  t.equal(again.headers['x-svc-delivery-id'], delivery_id);
  t.not(again.headers['x-webhook-timestamp'], first.headers['x-webhook-timestamp']);
  t.equal(faultOfSignature(again, one.secret), null);
  t.match(await webhooks.list({}), { webhooks: [{ failure_count: 0 }] });
  t.equal((await webhooks.deliveries({})).deliveries.length, 1);

  const two = await webhooks.create({
    url: `https://${HOOKS}:${second.port}/two`,
    events: ['message.received'],
    template: { s: '{{data.subject}}' },
  });
  const sent = receiver.requests.length;
  for (const webhook_id of [two.id, crypto.randomUUID()]) {
    const replay = await instance.request(instance.agents.ann, 'POST', '/v1/webhooks/deliveries', {
      delivery_id,
      webhook_id,
    });
    t.match(await replay.json(), { delivery_id, status_code: Number }, 'delivery_id takes precedence');
  }
  t.equal(receiver.requests.length, sent + 2, 'it goes where it was sent before');
  await hooks.mail('To both');
  await second.waitFor(1);
  await eventually(async () => (await webhooks.deliveries({})).deliveries.length === 3);
  const both = (await webhooks.deliveries({ webhook_id: two.id })).deliveries[0]?.delivery_id ?? '';
  await webhooks.test({ delivery_id: both, webhook_id: two.id });
  t.equal(second.requests[1]?.body.toString(), '{"s":"To both"}');
  const before = receiver.requests.length;
  await webhooks.test({ delivery_id: both, webhook_id: one.id });
  t.equal(receiver.requests.length, before + 1, 'webhook_id says which of several endpoints');
  t.same(instance.faults, []);
});

t.test('a request without response has an error and no status', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  instance.dns.zone.set('wrong.test', 'A', ['127.0.0.1']);
  instance.dns.zone.set('turned.test', 'A', ['127.0.0.1']);
  const test = async (url: string) => {
    const { id } = await webhooks.create({ url, events: ['message.sent'] });
    return webhooks.test({ webhook_id: id });
  };
  const nothing = { delivered: false, status_code: null, response_body: null };
  t.match(await test(`https://wrong.test:${receiver.port}/`), { ...nothing, error: /certificate/i });
  t.match(await test('https://nowhere.test/'), { ...nothing, error: /^dns: / });
  const { id } = await webhooks.create({ url: `https://turned.test:${receiver.port}/`, events: ['message.sent'] });
  // The daemon remembers answers for a minute.
  instance.dns.zone.set('turned.test', 'A', ['10.0.0.1']);
  hooks.clock.pass(61 * SECOND);
  t.match(
    await webhooks.test({ webhook_id: id }),
    { ...nothing, error: /^private_address: / },
    'looked at before each attempt',
  );
  receiver.answer(() => undefined);
  const silent = await test(hooks.url());
  t.match(silent, { ...nothing, error: /^time_out: / });
  t.ok(silent.duration_ms >= 9_900 && silent.duration_ms < 20_000, `${silent.duration_ms} ms`);
  t.equal(receiver.requests.length, 1);
});

t.test('a receiver that answered 2xx has the event, also where its body breaks off', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  receiver.answer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '50' });
    response.write('data: wor', () => response.socket?.destroy());
  });
  t.match(await webhooks.test({ webhook_id: id }), { delivered: true, status_code: 200, error: null });
  await hooks.mail();
  await receiver.waitFor(2);
  const recorded = async () => (await webhooks.deliveries({ webhook_id: id })).deliveries;
  await eventually(async () => (await recorded()).length === 1);
  hooks.pass(60 * SECOND);
  t.match(await recorded(), [{ status_code: 200, error: null }]);
  t.equal(receiver.requests.length, 2, 'it is not sent again');
  t.same(instance.faults, []);
});

t.test('a redirect is a response like any other, and not followed', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  receiver.answer((_request, response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end());
  const { webhooks } = instance.client(instance.agents.ann);
  const { id } = await webhooks.create({ url: hooks.url(), events: ['message.sent'] });
  t.match(await webhooks.test({ webhook_id: id }), { delivered: false, status_code: 302 });
  t.equal(receiver.requests.length, 1);
});
