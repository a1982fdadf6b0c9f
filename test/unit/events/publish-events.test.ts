import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createEvents } from '../../../src/events/publish-events.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { openSmallStore } from '../../harness/small-store.ts';

t.test('what another process publishes is told once, and what is our own is told at once', async (t) => {
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
  const heard: string[] = [];
  events.subscribe(({ name, seq }, webhooks) => heard.push(`${seq} ${name} ${webhooks === null ? 'outside' : 'own'}`));

  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(heard, [], 'what was there before is told to nobody');
  await storeMail();
  t.same(heard, ['2 message.received own']);
  await publishOutside();
  await publishOutside();
  await storeMail();
  await events.dispatchForeign(store.read);
  await events.dispatchForeign(store.read);
  await storeMail();
  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(heard, [
    '2 message.received own',
    '5 message.received own',
    '3 domain.verified outside',
    '4 domain.verified outside',
    '6 message.received own',
    '7 domain.verified outside',
  ]);
});

t.test('what is taken back is told to nobody', async (t) => {
  const { store, events, workspaceId } = await openSmallStore(t);
  let heard = 0;
  events.subscribe(() => {
    heard += 1;
  });
  const data = { domain_id: crypto.randomUUID(), domain: 'example.com' };
  const failing = store.write(async (tx) => {
    await events.publish(tx, { name: 'domain.verified', workspaceId, mailboxId: null, data });
    throw new Error('taken back');
  });
  await t.rejects(failing, { message: 'taken back' });
  t.equal(heard, 0);
  t.equal((await store.read.selectFrom('events').select('seq').execute()).length, 0);
});
