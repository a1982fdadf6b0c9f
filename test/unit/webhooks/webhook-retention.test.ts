import t from 'tap';
import { DAY, type Millis } from '../../../src/kernel/clock.ts';
import type { WebhookId } from '../../../src/kernel/ids.ts';
import { insertWebhookAttempt, listWebhookAttempts } from '../../../src/store/events/webhook-attempts.ts';
import {
  findSentDelivery,
  listDueForWebhook,
  recordWebhookAttempt,
} from '../../../src/store/events/webhook-deliveries.ts';
import { type DisabledReason, insertWebhook } from '../../../src/store/events/webhooks.ts';
import { purgeEvents } from '../../../src/webhooks/webhook-retention.ts';
import { webhookRow } from '../../harness/http/webhook-row.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const START = Date.UTC(2026, 10, 21, 12);

t.test('the log is purged after 30 days, retained events after 7, and events once no row refers to them', async (t) => {
  let now: Millis = START;
  const { store, workspaceId, storeMail } = await openSmallStore(t, { now: () => now });
  const addWebhook = async (disabledReason: DisabledReason | null): Promise<WebhookId> => {
    const row = webhookRow(workspaceId, now, { active: disabledReason === null, disabledReason });
    await store.write((tx) => insertWebhook(tx, row));
    return row.id;
  };
  const on = await addWebhook(null);
  const off = await addWebhook('failures');
  const paused = await addWebhook('paused');
  const dueFor = async (id: WebhookId) => (await listDueForWebhook(store.read, id, now, 10)).length;
  const eventCount = async () => (await store.read.selectFrom('events').select('seq').execute()).length;

  await storeMail();
  t.same([await dueFor(on), await dueFor(off), await dueFor(paused)], [1, 1, 0]);
  const [waiting] = await listDueForWebhook(store.read, on, now, 1);
  if (!waiting) return t.fail('nothing waits');
  const { seq: eventSeq, id: eventId } = waiting.event;
  await store.write(async (tx) => {
    const result = {
      webhookId: on,
      eventSeq,
      attempt: 1,
      statusCode: 200,
      responseBody: '',
      durationMs: 1,
      error: null,
    };
    const at = await insertWebhookAttempt(tx, workspaceId, result, now);
    await recordWebhookAttempt(tx, on, eventSeq, { attempts: 1, nextAttemptAt: null, at, body: null });
  });
  const attempts = async () => (await listWebhookAttempts(store.read, workspaceId, null, null, 10)).length;

  now = START + 7 * DAY - 1;
  await storeMail();
  await purgeEvents(store, now);
  t.same([await dueFor(on), await dueFor(off)], [1, 2], 'held for 7 days');
  now = START + 7 * DAY;
  await purgeEvents(store, now);
  t.same([await dueFor(on), await dueFor(off)], [1, 1], 'and no longer, where it is off');
  now = START + 30 * DAY;
  await purgeEvents(store, now);
  t.equal(await attempts(), 1);
  t.ok(await findSentDelivery(store.read, workspaceId, eventId, null, [on]), 'what the log shows can be replayed');
  now = START + 30 * DAY + 1;
  await purgeEvents(store, now);
  t.same([await attempts(), await eventCount()], [0, 2]);
  now = START + 38 * DAY;
  await purgeEvents(store, now);
  t.equal(await eventCount(), 1);
  t.equal(await findSentDelivery(store.read, workspaceId, eventId, null, [on]), null);
  now = START + 50 * DAY;
  await purgeEvents(store, now);
  t.equal(await eventCount(), 0);
  t.equal((await store.read.selectFrom('webhook_deliveries').select('event_seq').execute()).length, 0);
});
