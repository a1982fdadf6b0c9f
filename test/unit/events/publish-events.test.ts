import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createEvents } from '../../../src/events/publish-events.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { openSmallStore } from '../../harness/small-store.ts';

t.test('events of other processes are dispatched once, own events at once', async (t) => {
  const { store, events, workspaceId, storeMail } = await openSmallStore(t);
  // As the command line has: the same data file, other listeners.
  const others = createEvents(systemClock, randomBytes, (fault) => t.fail(String(fault)));
  const publishOutside = () =>
    store.write((tx) =>
      others.publish(tx, {
        name: 'domain.verified',
        workspaceId,
        mailboxId: null,
        data: { domain_id: crypto.randomUUID(), domain: 'example.com' },
      }),
    );
  const received: string[] = [];
  events.subscribe(({ name, seq }, webhooks) =>
    received.push(`${seq} ${name} ${webhooks === null ? 'outside' : 'own'}`),
  );

  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(received, [], 'events before the first call are not dispatched');
  await storeMail();
  t.same(received, ['2 message.received own']);
  await publishOutside();
  await publishOutside();
  await storeMail();
  await events.dispatchForeign(store.read);
  await events.dispatchForeign(store.read);
  await storeMail();
  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(received, [
    '2 message.received own',
    '5 message.received own',
    '3 domain.verified outside',
    '4 domain.verified outside',
    '6 message.received own',
    '7 domain.verified outside',
  ]);
});

t.test('an event of a rolled-back transaction is not dispatched', async (t) => {
  const { store, events, workspaceId } = await openSmallStore(t);
  let received = 0;
  events.subscribe(() => {
    received += 1;
  });
  const data = { domain_id: crypto.randomUUID(), domain: 'example.com' };
  const failing = store.write(async (tx) => {
    await events.publish(tx, { name: 'domain.verified', workspaceId, mailboxId: null, data });
    throw new Error('taken back');
  });
  await t.rejects(failing, { message: 'taken back' });
  t.equal(received, 0);
  t.equal((await store.read.selectFrom('events').select('seq').execute()).length, 0);
});
