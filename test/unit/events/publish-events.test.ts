import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createEvents } from '../../../src/events/publish-events.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { idFromBytes, type WebhookId } from '../../../src/kernel/ids.ts';
import { insertMailbox } from '../../../src/store/accounts/agents.ts';
import { insertWebhook, type Webhook } from '../../../src/store/events/webhooks.ts';
import { webhookRow } from '../../harness/http/webhook-row.ts';
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
  const received: { seq: number; what: string }[] = [];
  events.subscribe(({ name, seq }, webhooks) =>
    received.push({ seq, what: `${name} ${webhooks === null ? 'outside' : 'own'}` }),
  );
  /** Each with its place by number: an engine may leave numbers out. */
  const placed = (): string[] => {
    const seqs = received.map(({ seq }) => seq).toSorted((a, b) => a - b);
    return received.map(({ seq, what }) => `${seqs.indexOf(seq) + 1} ${what}`);
  };

  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(received, [], 'events before the first call are not dispatched');
  await storeMail();
  t.same(placed(), ['1 message.received own']);
  await publishOutside();
  await publishOutside();
  await storeMail();
  await events.dispatchForeign(store.read);
  await events.dispatchForeign(store.read);
  await storeMail();
  await publishOutside();
  await events.dispatchForeign(store.read);
  t.same(placed(), [
    '1 message.received own',
    '4 message.received own',
    '2 domain.verified outside',
    '3 domain.verified outside',
    '5 message.received own',
    '6 domain.verified outside',
  ]);
});

t.test('an event waits for the endpoints that ask for it, and its listeners know them', async (t) => {
  const { store, events, newId, workspaceId, agentId, mailboxId, storeMail } = await openSmallStore(t);
  const temporary = newId<'mailbox'>();
  const domainId = (await store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()).id;
  const rows: Record<string, Partial<Webhook>> = {
    all: {},
    'its mailbox': { mailboxId },
    failing: { active: false, disabledReason: 'failures' },
    'another event': { events: ['message.sent'] },
    'another mailbox': { mailboxId: temporary },
    paused: { active: false, disabledReason: 'paused' },
    suspended: { withheld: 'suspended' },
    unapproved: { withheld: 'approval' },
  };
  const names = new Map<WebhookId, string>();
  await store.write(async (tx) => {
    const common = { agentId, domainId: idFromBytes<'domain'>(domainId), status: 'active' as const, receiveOnly: true };
    await insertMailbox(tx, { ...common, id: temporary, createdAt: 0 });
    for (const [name, given] of Object.entries(rows)) {
      const row = webhookRow(workspaceId, 0, given);
      names.set(row.id, name);
      await insertWebhook(tx, row);
    }
  });
  const heard: (readonly WebhookId[] | null)[] = [];
  events.subscribe((_event, webhooks) => heard.push(webhooks));
  await storeMail();
  const expected = ['all', 'failing', 'its mailbox'];
  t.same(heard.flatMap((ids) => ids?.map((id) => names.get(id))).toSorted(), expected);
  const waiting = await store.read.selectFrom('webhook_deliveries').select('webhook_id').execute();
  t.same(waiting.map(({ webhook_id }) => names.get(idFromBytes(webhook_id))).toSorted(), expected);
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

t.test('a listener of a workspace or a mailbox hears its events alone, each once, until it ends', async (t) => {
  const { store, events, workspaceId, mailboxId, storeMail, newId } = await openSmallStore(t);
  const heard: string[] = [];
  const listen = (who: string, of: Parameters<typeof events.subscribe>[1]) =>
    events.subscribe(({ name }) => heard.push(`${who} ${name}`), of);
  const ends = [
    listen('workspace', workspaceId),
    listen('mailbox', mailboxId),
    listen('other', newId<'mailbox'>()),
    listen('elsewhere', newId<'workspace'>()),
  ];
  await storeMail();
  const data = { domain_id: crypto.randomUUID(), domain: 'example.com' };
  await store.write((tx) => events.publish(tx, { name: 'domain.verified', workspaceId, mailboxId: null, data }));
  t.same(heard, ['workspace message.received', 'mailbox message.received', 'workspace domain.verified']);
  for (const end of ends) end();
  await storeMail();
  t.equal(heard.length, 3);
});
