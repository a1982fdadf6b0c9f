import t from 'tap';
import type { WebhookId } from '../../../src/kernel/ids.ts';
import { startHttpReceiver } from '../../harness/http/http-receiver.ts';
import { HOOKS, startWebhookInstance, type WebhookBox } from '../../harness/http/webhooks.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** How long after its event each delivery to the living endpoint came, in ms. */
const latencies = async ({ receiver, mail, clock }: WebhookBox, count: number): Promise<number[]> => {
  const before = receiver.requests.length;
  for (let n = 0; n < count; n++) {
    await mail(`Living ${n}`);
    await receiver.waitFor(before + n + 1);
  }
  const ahead = clock.now() - Date.now();
  return receiver.requests.slice(before).map(({ at, body }) => {
    const { timestamp } = JSON.parse(body.toString()) as { timestamp: string };
    return at + ahead - Date.parse(timestamp);
  });
};

t.test('endpoints that never answer delay no other', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  await using silent = await startHttpReceiver(HOOKS);
  silent.answer(() => undefined);
  for (let n = 0; n < 20; n++) {
    await webhooks.create({ url: `https://${HOOKS}:${silent.port}/${n}`, events: ['message.received'] });
  }
  await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  const took = await latencies(hooks, 20);
  // Behind a silent one it would come after 10 s, and where nothing woke the dispatcher after its 5 s.
  t.ok(median(took) < 2_000, `median ${median(took)} ms`);
  t.ok(Math.max(...took) < 8_000, `longest ${Math.max(...took)} ms`);
  t.ok(silent.requests.length >= 20, 'each of the silent ones was tried');
  t.same(instance.faults, []);
});

t.test('10 000 waiting events of a dead endpoint cost the living one nothing', async (t) => {
  await using hooks = await startWebhookInstance();
  const { instance, clock } = hooks;
  const { webhooks } = instance.client(instance.agents.ann);
  instance.dns.zone.set('dead.test', 'A', ['127.0.0.2']);
  const dead = await webhooks.create({ url: `https://dead.test:${hooks.receiver.port}/`, events: ['message.sent'] });
  await webhooks.create({ url: hooks.url(), events: ['message.received'] });
  await hooks.mail('Warm up');
  await hooks.receiver.waitFor(1);
  const alone = await latencies(hooks, 15);

  await instance.inStore((store) =>
    store.write(async (tx) => {
      const workspace_id = Buffer.from(instance.workspace.id.replaceAll('-', ''), 'hex');
      const webhook_id = Buffer.from((dead.id as WebhookId).replaceAll('-', ''), 'hex');
      const created_at = clock.now();
      for (let n = 0; n < 10_000; n++) {
        const event = { id: `evt_${n}`, workspace_id, mailbox_id: null, name: 'message.sent', data: '{}', created_at };
        const { seq } = await tx.db.insertInto('events').values(event).returning('seq').executeTakeFirstOrThrow();
        await tx.db
          .insertInto('webhook_deliveries')
          .values({
            webhook_id,
            event_seq: seq,
            attempts: 0,
            next_attempt_at: created_at,
            last_attempt_at: null,
            body: null,
          })
          .execute();
      }
    }),
  );
  instance.daemon.webhooks.wake();
  await eventually(async () => (await webhooks.deliveries({ webhook_id: dead.id })).deliveries.length >= 3);
  const beside = await latencies(hooks, 15);
  t.ok(median(beside) < median(alone) + 250, `median ${median(alone)} ms alone, ${median(beside)} ms beside`);
  await eventually(async () => {
    const { webhooks: all } = await webhooks.list({});
    return all.find(({ id }) => id === dead.id)?.active === false;
  });
  t.equal((await webhooks.deliveries({ webhook_id: dead.id, limit: 100 })).deliveries.length, 20, 'then it is off');
  t.same(instance.faults, []);
});
