import t from 'tap';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.ts';
import { cliJson } from '../../harness/cli.ts';
import { envelopeIn, faultOfSignature, startWebhookInstance } from '../../harness/http/webhooks.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

t.test('retries: 30 s, 2 min, 8 min, 30 min, 2 h, each with the same id', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id, secret } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  receiver.answer((_request, response) => response.writeHead(500).end('no'));
  await hooks.mail();
  await receiver.waitFor(1);
  const attempts = (count: number) =>
    eventually(async () => {
      const { deliveries } = await webhooks.deliveries({ webhook_id: id });
      return deliveries.length === count && deliveries;
    });
  await attempts(1);
  for (const [at, delay] of [30 * SECOND, 2 * MINUTE, 8 * MINUTE, 30 * MINUTE, 2 * HOUR].entries()) {
    hooks.pass(delay * 0.9 - 3 * SECOND);
    t.equal((await webhooks.deliveries({})).deliveries.length, at + 1, 'not before its time');
    hooks.pass(delay * 0.2 + 3 * SECOND);
    await receiver.waitFor(at + 2);
    await attempts(at + 2);
  }
  hooks.pass(3 * DAY);
  const log = await attempts(6);
  t.same(
    log.map(({ attempt, status_code }) => [attempt, status_code]),
    [6, 5, 4, 3, 2, 1].map((attempt) => [attempt, 500]),
  );
  t.equal(new Set(log.map(({ delivery_id }) => delivery_id)).size, 1);
  t.equal(new Set(log.map(({ at }) => at)).size, 6);
  t.equal(new Set(receiver.requests.map(({ body }) => body.toString())).size, 1, 'the bytes stay the same');
  t.ok(receiver.requests.every((request) => faultOfSignature(request, secret) === null));
  const signedAt = receiver.requests.map(({ headers }) => headers['x-webhook-timestamp']);
  t.equal(new Set(signedAt).size, 6, 'each attempt is signed anew');
  t.match(await webhooks.list({}), { webhooks: [{ failure_count: 1, active: true }] }, 'one delivery has failed');
  const second = await webhooks.deliveries({ before: log[2]?.at, limit: 2 });
  t.same(
    second.deliveries.map(({ attempt }) => attempt),
    [3, 2],
    'pages by `at`',
  );
});

t.test('429 and 503 with Retry-After: exactly that long', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  let answers = 0;
  receiver.answer((_request, response) => {
    answers += 1;
    if (answers === 1) response.setHeader('retry-after', ['600', '600']).writeHead(429).end();
    else if (answers === 2) {
      const date = new Date(Math.ceil((hooks.clock.now() + HOUR) / SECOND) * SECOND);
      response.writeHead(503, { 'retry-after': date.toUTCString() }).end();
    } else response.end();
  });
  const attempts = (count: number) =>
    eventually(async () => (await webhooks.deliveries({})).deliveries.length === count);
  await hooks.mail();
  await attempts(1);
  hooks.pass(595 * SECOND);
  t.equal(receiver.requests.length, 1);
  hooks.pass(5 * SECOND);
  await attempts(2);
  hooks.pass(HOUR - 5 * SECOND);
  t.equal(receiver.requests.length, 2);
  hooks.pass(6 * SECOND);
  await attempts(3);
  t.match(await webhooks.list({}), { webhooks: [{ failure_count: 0 }] }, 'a success resets the count of failures');
});

t.test('a receiver that takes one a time gets all of a burst, in order, and is not disabled', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  let isFree = true;
  const taken: unknown[] = [];
  const subjects = Array.from({ length: 30 }, (_, n) => `Burst ${n}`);
  receiver.answer((request, response) => {
    const { subject } = envelopeIn(request).data;
    // An attempt that was under way as it became free is not its turn.
    const isTaken = isFree && subject === (subjects[taken.length] ?? subject);
    if (isTaken) taken.push(subject);
    response.writeHead(isTaken ? 200 : 429, isTaken ? {} : { 'retry-after': '60' }).end();
    if (isTaken) isFree = false;
  });
  for (const subject of subjects) await hooks.mail(subject);
  while (taken.length < subjects.length) {
    const { length } = taken;
    isFree = true;
    // That attempt may defer it once more.
    await eventually(async () => {
      hooks.pass(10 * SECOND);
      return taken.length > length;
    });
    const isLast = taken.length === subjects.length;
    await eventually(
      async () => isLast || (await webhooks.deliveries({ limit: 1 })).deliveries[0]?.status_code === 429,
    );
  }
  t.same(taken, subjects);
  t.match(await webhooks.list({}), { webhooks: [{ active: true, failure_count: 0 }] });

  isFree = true;
  await hooks.mail('Before');
  await hooks.mail('Deferred');
  await eventually(async () => (await webhooks.deliveries({ limit: 1 })).deliveries[0]?.status_code === 429);
  const deferredUntil = async () => {
    const { webhooks: shown } = await cliJson(instance.configPath, 'webhooks', 'list', '--workspace', 'acme');
    return (shown as { deferred_until: string | null }[])[0]?.deferred_until;
  };
  t.type(await eventually(deferredUntil), 'string', 'a person sees that it waits');
  isFree = true;
  await webhooks.update({ id, active: true });
  await eventually(async () => taken.at(-1) === 'Deferred');
  t.equal(await deferredUntil(), null);
});

for (const status of [429, 410]) {
  t.test(`what one URL answers with ${status} says nothing of the next`, async (t) => {
    await using hooks = await startWebhookInstance();
    const { instance, receiver } = hooks;
    const { webhooks } = instance.client(instance.agents.ann);
    const { id } = await webhooks.create({ url: hooks.url('/old'), events: ['message.received'] });
    const { promise: isChanged, resolve: changed } = Promise.withResolvers<void>();
    receiver.answer((request, response) => {
      if (request.path === '/new') response.end();
      else void isChanged.then(() => response.writeHead(status, { 'retry-after': '86400' }).end());
    });
    await hooks.mail();
    await receiver.waitFor(1);
    await webhooks.update({ id, url: hooks.url('/new') });
    changed();
    await eventually(async () => (await webhooks.deliveries({})).deliveries.length > 0);
    t.match(await webhooks.list({}), { webhooks: [{ active: true, failure_count: 0 }] });
    await hooks.mail();
    await receiver.waitFor(2);
    t.equal(receiver.requests[1]?.path, '/new');
  });
}

t.test(
  '20 consecutive failures disable it, its owner is notified, events are retained and delivered later',
  async (t) => {
    await using hooks = await startWebhookInstance();
    const { instance, receiver } = hooks;
    const { webhooks } = instance.client(instance.agents.ann);
    const { id } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
    receiver.answer((_request, response) => response.writeHead(500).end());
    for (let n = 0; n < 20; n++) await hooks.mail(`Failing ${n}`);
    const off = await eventually(async () => {
      const [webhook] = (await webhooks.list({})).webhooks;
      return webhook?.active === false && webhook;
    });
    t.match(off, { disabled_reason: 'failures', failure_count: 20 });
    await instance.receiver.waitFor(1);
    const notice = instance.receiver.messages[0]?.raw.toString() ?? '';
    t.match(notice, /Subject: A webhook endpoint was turned off/);
    t.match(notice, /To: owner@remote\.test/);

    const before = receiver.requests.length;
    await hooks.mail('Held and too old');
    hooks.pass(7 * DAY + MINUTE);
    await instance.daemon.jobs.runAll();
    await hooks.mail('Held 1');
    await hooks.mail('Held 2');
    hooks.pass(6 * DAY);
    await instance.daemon.jobs.runAll();
    t.equal(receiver.requests.length, before, 'nothing goes to an endpoint that is off');
    receiver.answer((_request, response) => response.end());
    const on = await webhooks.update({ id, active: true });
    t.match(on, { active: true, disabled_reason: null, failure_count: 0 });
    await receiver.waitFor(before + 2);
    await eventually(async () =>
      (await webhooks.deliveries({ limit: 2 })).deliveries.every((row) => row.status_code === 200),
    );
    t.same(
      receiver.requests
        .slice(before)
        .map((request) => envelopeIn(request).data.subject)
        .sort(),
      ['Held 1', 'Held 2'],
      'what is over 7 days old has been dropped',
    );
    t.equal(instance.receiver.messages.length, 1, 'the owner is notified once');
  },
);

t.test('410 disables it at once, with events retained, and its owner is told', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  receiver.answer((_request, response) => response.writeHead(410).end());
  await hooks.mail('Gone');
  await eventually(async () => (await webhooks.list({})).webhooks[0]?.active === false);
  t.match(await webhooks.list({}), { webhooks: [{ disabled_reason: 'gone', failure_count: 1 }] });
  const notice = await eventually(async () => instance.receiver.messages[0]?.raw.toString().replaceAll('=\r\n', ''));
  t.match(notice, /Subject: A webhook endpoint was turned off.*has answered 410 \(Gone\) and was turned off/s);
  await hooks.mail('Held');
  receiver.answer((_request, response) => response.end());
  await webhooks.update({ id, active: true });
  await receiver.waitFor(3);
  t.same(receiver.requests.map((request) => envelopeIn(request).data.subject).sort(), ['Gone', 'Gone', 'Held']);
});

t.test('paused by its owner, it retains nothing', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, receiver } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  const { id } = await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  receiver.answer((_request, response) => response.writeHead(500).end());
  await hooks.mail('Waits for a retry');
  await eventually(async () => (await webhooks.deliveries({})).deliveries.length === 1);
  receiver.answer((_request, response) => response.end());
  t.match(await webhooks.update({ id, active: false }), { active: false, disabled_reason: 'paused' });
  await hooks.mail('Not held');
  await webhooks.update({ id, active: true });
  await hooks.mail('After');
  await receiver.waitFor(2);
  hooks.pass(DAY);
  await hooks.mail('Last');
  await receiver.waitFor(3);
  t.same(
    receiver.requests.map((request) => envelopeIn(request).data.subject),
    ['Waits for a retry', 'After', 'Last'],
  );
  const made = await webhooks.create({ url: hooks.url(), events: ['message.received'], active: false });
  t.match(made, { active: false, disabled_reason: 'paused' });
  await hooks.mail('Before it is deployed');
  await webhooks.update({ id: made.id, active: true });
  await hooks.mail('Deployed');
  await receiver.waitFor(6);
  t.same(
    receiver.requests
      .map((request) => envelopeIn(request).data.subject)
      .slice(3)
      .sort(),
    ['Before it is deployed', 'Deployed', 'Deployed'],
  );
});
