import { randomBytes } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { SendGuarded } from '../../../src/net/http/guarded-client.ts';
import { engineOf } from '../../../src/store/engine.ts';
import { insertWebhook } from '../../../src/store/events/webhooks.ts';
import { createWebhookDispatcher } from '../../../src/webhooks/dispatcher.ts';
import { createWebhookSeal } from '../../../src/webhooks/secrets.ts';
import { webhookRow } from '../../harness/http/webhook-row.ts';
import { openSmallStore } from '../../harness/small-store.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const ANSWER = { status: 200, headers: {}, body: Buffer.alloc(0), truncated: false };

t.test('an attempt that ends while the queue is read is not made again', async (t) => {
  const { store, events, newId, workspaceId, storeMail } = await openSmallStore(t);
  const seal = createWebhookSeal(randomBytes(32));
  const id = newId<'webhook'>();
  const at = systemClock.now();
  const sealedSecrets = seal.sealSecret(id, 'whsec_c2VjcmV0');
  await store.write((tx) => insertWebhook(tx, webhookRow(workspaceId, at, { id, sealedSecrets })));
  /** In the order of their requests; those after the third are answered at once. */
  const answers: (() => void)[] = [];
  const request: SendGuarded = () =>
    new Promise((resolve) => {
      const answer = () => resolve(ANSWER);
      if (answers.push(answer) > 3) answer();
    });
  /** The event of each attempt. */
  const listAttempts = async () =>
    (await store.read.selectFrom('webhook_attempts').select('event_seq').execute()).map(({ event_seq }) => event_seq);
  const dispatcher = createWebhookDispatcher({
    ...{ store, events, clock: systemClock, request, seal },
    activity: { recordOwn: async () => undefined } as never,
    mailLog: { record: () => {} } as never,
    notifyOwner: async () => {},
    randomFraction: () => 0,
    onError: (error) => t.fail(String(error)),
  });
  for (let mail = 0; mail < 3; mail += 1) await storeMail();
  dispatcher.start();
  await eventually(async () => answers.length === 1);
  answers[0]?.();
  // A success doubles the window.
  await eventually(async () => answers.length === 3);

  // The next read of the queue is answered after the third attempt has ended.
  const engine = engineOf(store.read);
  const { run } = engine;
  let isHeld = false;
  engine.run = async (query, parameters) => {
    const result = await run(query, parameters);
    if (!isHeld && query.sql.includes('from "webhook_deliveries" inner join')) {
      isHeld = true;
      answers[2]?.();
      await eventually(async () => (await listAttempts()).length === 3);
    }
    return result;
  };
  answers[1]?.();
  await eventually(async () => isHeld && (await listAttempts()).length >= 3);
  engine.run = run;
  await storeMail();
  await eventually(async () => new Set(await listAttempts()).size === 4);
  await dispatcher.stop(0);
  t.equal(answers.length, 4, 'one request for each event');
});
