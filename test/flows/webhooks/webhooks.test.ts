import t from 'tap';
import { DAY, MINUTE, SECOND } from '../../../src/kernel/clock.ts';
import { cliJson } from '../../harness/cli.ts';
import { envelopeIn, faultOfSignature, isNewestDigest, startWebhookInstance } from '../../harness/http/webhooks.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('an event goes to the endpoint, signed, and stands in the log', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks, messages } = instance.client(instance.agents.ann);
  receiver.answer((_request, response) => response.writeHead(202).end('thanks'));
  const created = await webhooks.create({
    url: hooks.url('/in?x=1'),
    events: ['message.received'],
    headers: { Authorization: 'Bearer abc', 'x-own': 'é', 'User-Agent': 'Acme' },
  });
  t.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.match(created, { active: true, disabled_reason: null, failure_count: 0, mailbox_id: null, template: null });
  t.same(created.header_names, ['Authorization', 'x-own', 'User-Agent']);
  await hooks.mail('Grüße "quoted"');

  const [request] = await receiver.waitFor(1);
  if (!request) return;
  t.equal(request.path, '/in?x=1');
  t.match(request.headers, {
    'content-type': 'application/json',
    'x-svc-event': 'message.received',
    authorization: 'Bearer abc',
    'x-own': 'é',
    'user-agent': 'Acme',
    accept: '*/*',
  });
  const envelope = envelopeIn(request);
  t.match(envelope.id, /^evt_[A-Za-z0-9_-]{24}$/);
  for (const name of ['x-svc-delivery-id', 'x-request-id', 'webhook-id']) t.equal(request.headers[name], envelope.id);
  t.equal(faultOfSignature(request, created.secret), null);
  t.ok(isNewestDigest(request, created.secret));
  t.equal(faultOfSignature(request, `whsec_${Buffer.alloc(32).toString('base64')}`), 'x-svc-signature');
  const [message] = (await messages.list({})).messages;
  t.same(Object.keys(envelope), ['id', 'event', 'timestamp', 'data']);
  t.match(envelope.data, {
    message_id: message?.id,
    thread_id: message?.thread_id,
    mailbox: instance.agents.ann.address,
    from: 'Carol <carol@remote.test>',
    subject: 'Grüße "quoted"',
    snippet: 'Hello.',
  });

  const [attempt] = await eventually(async () => {
    const { deliveries } = await webhooks.deliveries({});
    return deliveries.length > 0 && deliveries;
  });
  t.match(attempt, {
    webhook_id: created.id,
    delivery_id: envelope.id,
    event: 'message.received',
    attempt: 1,
    status_code: 202,
    response_body: 'thanks',
    error: null,
  });
  const { webhooks: listed } = await webhooks.list({});
  t.equal(listed.length, 1);
  t.notOk(JSON.stringify(listed).includes('whsec_'), 'the secret is shown once');
  t.notOk(JSON.stringify(listed).includes('Bearer abc'), 'header values are never shown');
  t.same(instance.faults, []);
});

t.test('deliveries by subscription, mailbox, workspace', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { ann, bob } = instance.agents;
  const other = await instance.addAgent('eve', await instance.addWorkspace('Other'));
  const { mailbox_id: bobs } = await instance.client(bob).identity.get({});
  const add = (
    path: string,
    events: ('message.received' | 'message.sent' | 'message.delivered')[],
    mailbox_id?: string,
  ) => instance.client(ann).webhooks.create({ url: hooks.url(path), events, ...(mailbox_id && { mailbox_id }) });
  await add('/all', ['message.received', 'message.sent', 'message.delivered']);
  await add('/received', ['message.received']);
  await add('/bob', ['message.received', 'message.sent'], bobs);
  await instance.client(other).webhooks.create({ url: hooks.url('/other'), events: ['message.received'] });
  t.equal(
    (
      await instance.request(ann, 'POST', '/v1/webhooks', {
        url: hooks.url(),
        events: ['message.sent'],
        mailbox_id: (await instance.client(other).identity.get({})).mailbox_id,
      })
    ).status,
    400,
    "another workspace's mailbox is none",
  );

  await instance.client(ann).messages.send({ to: [bob.address], subject: 'Hi', body: 'x' });
  const heard = async () => {
    const found = receiver.requests.map((request) => `${request.path} ${envelopeIn(request).event}`);
    return found.length >= 5 && found.sort();
  };
  t.same(await eventually(heard), [
    '/all message.delivered',
    '/all message.received',
    '/all message.sent',
    '/bob message.received',
    '/received message.received',
  ]);
  await sendMail(instance.smtpPort, { to: [other.address] });
  await receiver.waitFor(6);
  t.equal(receiver.requests[5]?.path, '/other');
  const ids = receiver.requests.map((request) => `${envelopeIn(request).id} ${envelopeIn(request).event}`);
  t.equal(new Set(ids).size, 4, 'one event has one id for all endpoints');
});

t.test('decisions at the command line are delivered as well', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  await instance.client(instance.agents.ann).webhooks.create({
    url: hooks.url(),
    events: ['approval.approved', 'workspace.paused'],
  });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const { pendingId } = await instance.client(instance.agents.ann).messages.send({
    to: ['carol@remote.test'],
    subject: 'Offer',
    body: 'x',
  });
  await cliJson(instance.configPath, 'pending', 'approve', pendingId ?? '');
  await cliJson(instance.configPath, 'workspaces', 'pause', 'Acme', '--reason', 'testing');
  const [approved, paused] = (await receiver.waitFor(2)).map(envelopeIn);
  t.match(approved, { event: 'approval.approved', data: { pending_id: pendingId, message_id: String } });
  t.match(paused, { event: 'workspace.paused', data: { workspace_id: instance.workspace.id, reason: 'testing' } });
});

t.test('rotation: both secrets sign for 24 hours, then the new one alone', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id, secret: first } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  const rotated = await webhooks.update({ id, rotate_secret: true });
  const second = rotated.secret ?? '';
  t.match(second, /^whsec_/);
  t.not(second, first);
  const until = Date.parse(rotated.previous_secret_valid_until ?? '');
  t.ok(Math.abs(until - hooks.clock.now() - DAY) < MINUTE);
  t.match(await webhooks.update({ id, active: true }), { secret: undefined }, 'shown this once');
  await hooks.mail();
  const [during] = await receiver.waitFor(1);
  if (!during) return;
  t.equal(faultOfSignature(during, first), null);
  t.equal(faultOfSignature(during, second), null);
  t.match(during.headers['x-svc-signature'], /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  t.ok(isNewestDigest(during, second), 'the bare digest uses the new one at once');
  hooks.pass(DAY + SECOND);
  await hooks.mail();
  const after = (await receiver.waitFor(2))[1];
  if (!after) return;
  t.equal(faultOfSignature(after, first), 'x-svc-signature');
  t.equal(faultOfSignature(after, second), null);
  t.match(after.headers['x-svc-signature'], /^t=\d+,v1=[0-9a-f]{64}$/);
});

t.test('a template takes the place of the body, and the signature covers what is sent', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { secret, id } = await webhooks.create({
    url: hooks.url(),
    events: ['message.received'],
    template: { text: 'New: {{data.subject}} ({{event}})', meta: [{ id: '{{id}}', none: '{{data.nothing}}' }], n: 1 },
  });
  await hooks.mail('He said: "a\\b" {{id}}');
  const [request] = await receiver.waitFor(1);
  if (!request) return;
  const deliveryId = request.headers['x-svc-delivery-id'];
  t.same(JSON.parse(request.body.toString()), {
    text: 'New: He said: "a\\b" {{id}} (message.received)',
    meta: [{ id: deliveryId, none: '' }],
    n: 1,
  });
  t.equal(faultOfSignature(request, secret), null);

  await eventually(async () => (await webhooks.deliveries({})).deliveries.length === 1);
  await webhooks.update({ id, template: null });
  const replay = await webhooks.test({ delivery_id: String(deliveryId) });
  t.match(replay, { delivered: true, delivery_id: deliveryId });
  const again = receiver.requests[1];
  t.ok(again?.body.equals(request.body), 'a replay is the bytes that went, whatever the template is now');
  await hooks.mail('Plain');
  t.equal(envelopeIn((await receiver.waitFor(3))[2] ?? request).data.subject, 'Plain');
});

t.test('an event that makes too large a body of the template fails, and says why; the next one goes', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const text = '{{data.subject}}'.repeat(1_900);
  await webhooks.create({ url: hooks.url(), events: ['message.received'], template: { text } });
  await hooks.mail('x'.repeat(800));
  const [failed] = await eventually(async () => {
    const { deliveries } = await webhooks.deliveries({});
    return deliveries.length > 0 && deliveries;
  });
  t.match(failed, { status_code: null, error: 'The template makes a body of over 1048576 bytes' });
  t.match(await webhooks.list({}), { webhooks: [{ active: true, failure_count: 1 }] });
  await hooks.mail('Short');
  const [request] = await receiver.waitFor(1);
  t.equal(JSON.parse(String(request?.body)).text, 'Short'.repeat(1_900));
  t.same(instance.faults, []);
});
