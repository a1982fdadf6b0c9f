import t, { type Test } from 'tap';
import { createListeningSlots } from '../../../src/events/listening-slots.ts';
import { createRevocations } from '../../../src/events/revocations.ts';
import { createMailWaits, type MailWanted } from '../../../src/events/wait-for-mail.ts';
import type { Clock, Millis } from '../../../src/kernel/clock.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { revokeApiKey } from '../../../src/store/accounts/api-keys.ts';
import { findMessage, setMessageFlags } from '../../../src/store/mail/messages.ts';
import { keyPool } from '../../harness/budget.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const LONG = 20_000;

const setUp = async (t: Test, most?: number) => {
  let now: Millis = NOW;
  const clock: Clock = { now: () => now };
  const small = await openSmallStore(t, clock);
  const { store, events, mailboxId, newId, agentId } = small;
  const revocations = createRevocations(store.read, clock);
  const slots = createListeningSlots(revocations, keyPool(most));
  const waits = createMailWaits({ read: store.read, events, slots });
  const wanted = { agentId, name: 'test', scopes: null, reach: 'own' as const, expiresAt: null };
  const { id: who } = await store.write((tx) => addKey({ clock, newId }, tx, wanted));
  const wait = (wanted: Partial<MailWanted> = {}, timeoutMs = LONG, signal?: AbortSignal) =>
    waits.wait(
      { mailboxId, threadId: null, from: null, subject: null, since: NOW - 1, unreadOnly: false, ...wanted },
      { who: { keyId: who, agentId }, timeoutMs, ...(signal && { signal }) },
    );
  return {
    ...small,
    waits,
    revocations,
    who,
    wait,
    pass: (ms: Millis) => {
      now += ms;
    },
  };
};

t.test('unread mail that was there before the call ends the wait, the oldest first; read mail does not', async (t) => {
  const { store, mailboxId, wait, storeMail } = await setUp(t);
  const { id: read } = await storeMail({ subject: 'Before, read' });
  await store.write(async (tx) => {
    const message = await findMessage(tx.db, mailboxId, read);
    if (message) await setMessageFlags(tx, message, { unread: false });
  });
  const { id: before } = await storeMail({ subject: 'Before' });
  const first = await wait({ unreadOnly: true });
  t.equal(first.message?.id, before);
  t.equal(first.nextSince, first.message?.createdAt);
  const waiting = wait({ unreadOnly: true, subject: 'After' });
  const { id } = await storeMail({ subject: 'After' });
  t.equal((await waiting).message?.id, id);
});

t.test('a search of stored mail lets others run after each fifty', async (t) => {
  const { wait, storeMail } = await setUp(t);
  for (let n = 0; n < 160; n++) await storeMail();
  const { id } = await storeMail({ subject: 'The last' });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { message } = await wait({ subject: 'The last' });
  isOver = true;
  t.equal(message?.id, id);
  t.ok(turns >= 3, `${turns} turns`);
});

t.test('no mail is missed between the read and the subscription', async (t) => {
  const { wait, storeMail } = await setUp(t);
  let since = NOW - 1;
  for (let round = 0; round < 50; round++) {
    const waiting = wait({ since });
    const [{ message, nextSince }, { id }] = await Promise.all([waiting, storeMail()]);
    t.equal(message?.id, id);
    since = nextSince;
  }
});

t.test(
  'mail stored after `since` counts from before the call; nextSince repeats none and leaves none out',
  async (t) => {
    const { wait, storeMail } = await setUp(t);
    const stored = [];
    for (let n = 0; n < 5; n++) stored.push((await storeMail()).id);
    await storeMail({ direction: 'out' });
    const found = [];
    let since = NOW - 1;
    for (let n = 0; n < 5; n++) {
      const { message, nextSince } = await wait({ since });
      found.push(message?.id);
      since = nextSince;
    }
    t.same(found, stored);
    const { message, nextSince } = await wait({ since }, 20);
    t.equal(message, null, 'the mail it sent itself is none');
    t.ok(nextSince >= since);
  },
);

t.test('thread, sender and subject, stored and to come', async (t) => {
  const { wait, storeMail } = await setUp(t);
  const { threadId } = await storeMail({ subject: 'First' });
  for (let n = 0; n < 150; n++) await storeMail({ subject: `Noise ${n}` });
  const reply = await storeMail({ subject: 'Re: First', threadId });
  const last = await storeMail({ from: 'Dave <dave@Bank.example>', subject: 'Your CODE is 1234' });
  const since = NOW + 1;
  t.equal((await wait({ since, threadId })).message?.id, reply.id);
  t.equal((await wait({ since, from: '@bank.EXAMPLE' })).message?.id, last.id);
  t.equal((await wait({ since, from: 'dave', subject: 'code' })).message?.id, last.id);

  const next = NOW + 152;
  const waiting = [
    wait({ since: next, threadId }),
    wait({ since: next, from: 'dave@bank.example' }),
    wait({ since: next, subject: 'code' }),
    wait({ since: next, subject: 'code', from: 'nobody' }, 200),
  ];
  await storeMail({ subject: 'Something else' });
  const inThread = await storeMail({ threadId });
  const code = await storeMail({ from: 'dave@bank.example', subject: 'Code 2' });
  t.same(
    (await Promise.all(waiting)).map(({ message }) => message?.id ?? null),
    [inThread.id, code.id, code.id, null],
  );
});

t.test('a `since` that is yet to come waits for it', async (t) => {
  const { wait, storeMail, pass } = await setUp(t);
  const waiting = wait({ since: NOW + 1000 });
  await storeMail({ subject: 'Too early' });
  pass(2000);
  const { id } = await storeMail();
  t.equal((await waiting).message?.id, id);
});

t.test('a wait ends with its timeout, its caller or the daemon, and releases its slot', async (t) => {
  const { wait, waits, storeMail } = await setUp(t, 2);
  t.match(await wait({}, 10), { message: null });
  const caller = new AbortController();
  const gone = wait({}, LONG, caller.signal);
  const other = wait();
  await t.rejects(wait(), { code: 'rate_limited' });
  caller.abort();
  t.match(await gone, { message: null });
  const third = wait();
  waits.close();
  t.match(await Promise.all([other, third]), [{ message: null }, { message: null }]);
  t.match(await wait({}, LONG), { message: null }, 'after close a wait ends at once');
  await storeMail();
});

t.test('an idle mailbox gives a next `since` from which no later mail is missed', async (t) => {
  const { wait, storeMail, pass } = await setUp(t);
  const { message, nextSince } = await wait({}, 10);
  t.equal(message, null);
  t.ok(nextSince < NOW);
  pass(5);
  const { id } = await storeMail();
  t.equal((await wait({ since: nextSince })).message?.id, id);
});

t.test('the end of a key ends its waits, without a result', async (t) => {
  const { store, revocations, who, wait, storeMail } = await setUp(t);
  const idle = t.rejects(wait(), { code: 'invalid_key' });
  const given = t.rejects(wait({ subject: 'After' }), { code: 'invalid_key' });
  await store.write((tx) => revokeApiKey(tx, who, NOW));
  // Ended keys have not been polled yet.
  await storeMail({ subject: 'After' });
  await given;
  await revocations.poll();
  await idle;
});
