import t from 'tap';
import { startHttpReceiver } from '../harness/http/http-receiver.ts';
import { envelopeIn, faultOfSignature, HOOKS, trustReceivers } from '../harness/http/webhooks.ts';
import { rounds } from '../harness/long-form.ts';
import { startProcessBox } from '../harness/process.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { loadUntilEnd, mailWithSubject } from './load.ts';

const ROUNDS = rounds(1, 4);
const WORKERS = 8;
/** Long enough that every kill finds requests under way. */
const ANSWER_AFTER_MS = 30;

t.test('a daemon that ends while it tells endpoints', async (t) => {
  await using receiver = await startHttpReceiver(HOOKS);
  await using harness = await startProcessBox({ network: trustReceivers() });
  const { instance } = harness;
  instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
  const { webhooks } = instance.client(instance.agents.ann);
  const url = `https://${HOOKS}:${receiver.port}/`;

  await t.test('SIGKILL at any moment loses no event, and what repeats keeps its id and its bytes', async (t) => {
    const { secret, ...plainHook } = await webhooks.create({ url, events: ['message.received'] });
    const templated = await webhooks.create({
      url: `${url}templated`,
      events: ['message.received'],
      template: { subject: '{{data.subject}}', id: '{{id}}' },
    });
    receiver.answer((_request, response) => setTimeout(() => response.end(), ANSWER_AFTER_MS));

    const acknowledged: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const { daemon } = harness;
      const endAfter = 15 * round + 4;
      const mail = mailWithSubject(instance.smtpPort, instance.agents.ann.address);
      const result = await loadUntilEnd(daemon, `Round ${round}`, mail, {
        workers: WORKERS,
        endAfter,
        signal: 'SIGKILL',
      });
      acknowledged.push(...result.acknowledged);
      await harness.start();
    }
    const stored = (await instance.events()).filter(({ name }) => name === 'message.received');
    t.ok(stored.length >= acknowledged.length);
    const plain = () => receiver.requests.filter(({ path }) => path === '/');
    const subjects = () => new Set(plain().map((request) => String(envelopeIn(request).data.subject)));
    const missing = () => stored.filter(({ data }) => !subjects().has(String(data.subject)));
    await eventually(async () => missing().length === 0, 30_000).catch(() => undefined);
    t.same(missing(), [], 'every event that was stored has arrived');
    t.same(
      acknowledged.filter((subject) => !subjects().has(subject)),
      [],
      'and with it every mail that was acknowledged',
    );
    await eventually(async () => {
      const ids = receiver.requests.filter(({ path }) => path !== '/').map(({ headers }) => headers['webhook-id']);
      return new Set(ids).size === stored.length;
    }, 30_000);

    const bodies = new Map<string, string>();
    let repeats = 0;
    for (const { headers, path, body } of receiver.requests) {
      const key = `${path} ${headers['x-svc-delivery-id']}`;
      const before = bodies.get(key);
      if (before !== undefined) repeats += 1;
      if (before !== undefined && before !== body.toString()) t.fail(`${key} changed its bytes`);
      bodies.set(key, body.toString());
    }
    t.equal(bodies.size, stored.length * 2, 'one id for each event, at each endpoint');
    const secretOf = (path: string) => (path === '/' ? secret : templated.secret);
    const faults = receiver.requests.map((request) => faultOfSignature(request, secretOf(request.path)));
    t.same(
      faults.filter((fault) => fault !== null),
      [],
      'every delivery verifies',
    );
    t.comment(`sent twice, killed between the answer and its record: ${repeats} of ${receiver.requests.length}`);

    // Nothing is left over: once the queue is empty, a restart sends only what comes after it.
    const isQueueEmpty = () =>
      instance.inStore(async ({ read }) => {
        const waiting = read
          .selectFrom('webhook_deliveries')
          .select('event_seq')
          .where('next_attempt_at', 'is not', null);
        return (await waiting.executeTakeFirst()) === undefined;
      });
    await eventually(isQueueEmpty);
    const before = receiver.requests.length;
    await harness.daemon.end('SIGTERM');
    await harness.start();
    await mailWithSubject(instance.smtpPort, instance.agents.ann.address)('After the restart');
    await receiver.waitFor(before + 2);
    await eventually(isQueueEmpty);
    t.same(
      receiver.requests.slice(before).map(({ body }) => /After the restart/.test(body.toString())),
      [true, true],
    );
    for (const { id } of [plainHook, templated]) await webhooks.remove({ id });
  });

  await t.test('an owner is told of an endpoint that failed, also where the daemon dies first', async (t) => {
    await webhooks.create({ url, events: ['message.received'] });
    let answers = 0;
    receiver.answer((_request, response) => {
      answers += 1;
      response.writeHead(500).end(() => {
        if (answers === 20) void harness.daemon.end('SIGKILL');
      });
    });
    const mail = mailWithSubject(instance.smtpPort, instance.agents.ann.address);
    for (let n = 0; n < 20; n++) await mail(`Failing ${n}`).catch(() => undefined);
    await harness.daemon.ended;
    await harness.start();
    await instance.receiver.waitFor(1, 20_000);
    await eventually(async () => (await webhooks.list({})).webhooks[0]?.active === false, 20_000);
    // A second notice would be written with the first: all that is written has gone out here.
    await eventually(() =>
      instance.inStore(async ({ read }) => {
        const unsent = await read.selectFrom('notices').select('id').executeTakeFirst();
        return unsent === undefined;
      }),
    );
    const notices = instance.receiver.messages.filter(({ raw }) => raw.includes('A webhook endpoint was turned off'));
    t.equal(notices.length, 1);
  });
});
