import t, { type Test } from 'tap';
import { createNotices, type NewNotice, type NoticeMail, type NoticeOutcome } from '../../../src/notices/notices.ts';
import { insertHeldSend } from '../../../src/store/sending/held-sends.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const DAY = 86_400_000;
const ownerEmail = 'owner@remote.test';

const open = async (t: Test) => {
  const clock = { at: Date.UTC(2026, 10, 20, 12), now: () => clock.at };
  const small = await openSmallStore(t, clock);
  const { store, newId } = small;
  const mailed: NoticeMail[] = [];
  const refused: string[] = [];
  /** The notices of one run of the process; `take` is null where they are never mailed. */
  const start = (take: ((mail: NoticeMail) => NoticeOutcome) | null = () => ({ kind: 'sent' })) => {
    const notices = createNotices({
      store,
      clock,
      newId,
      checkOwner: async () => 'fine',
      onOwnAddress: () => t.fail('the address is not own'),
      onRefused: (_notice, reason) => refused.push(reason),
      onError: (error) => t.fail(String(error)),
    });
    if (take) {
      notices.start((mail, inTransaction) =>
        store.write(async (tx) => {
          const outcome = take(mail);
          await inTransaction(tx, outcome);
          tx.afterCommit(() => outcome.kind === 'sent' && mailed.push(mail));
        }),
      );
    }
    return notices;
  };
  const left = async () => (await store.read.selectFrom('notices').selectAll().execute()).length;
  return { ...small, clock, mailed, refused, start, left };
};

/** One of every kind, with what it names. */
const noticeOfEachKind = async ({ store, newId, storeMail, ...small }: Awaited<ReturnType<typeof open>>) => {
  const { agentId, mailboxId, workspaceId, clock } = small;
  const pendingId = newId<'pending'>();
  const held = {
    id: pendingId,
    agentId,
    mailboxId,
    workspaceId,
    reason: 'agent_on_hold' as const,
    sendClass: 'cold' as const,
    to: [],
    cc: [],
    bcc: [],
    replyTo: [],
    sentBy: null,
    subject: 'Offer',
    snippet: '',
    attachments: [],
    htmlText: null,
    secrets: [],
    notGranted: false,
    createdAt: clock.at,
    expiresAt: clock.at + DAY,
  };
  await store.write((tx) => insertHeldSend(tx, held, { outgoing: '{}', mime: Buffer.alloc(0), size: 0 }));
  const { id: messageId } = await storeMail();
  return [
    { kind: 'held', data: { pendingId, url: 'http://box.test/console/approvals/x' }, ownerEmail },
    { kind: 'webhook-off', data: { url: 'https://hooks.test/', failures: 20 }, ownerEmail },
    { kind: 'role-mail', data: { address: 'abuse@w.box.test', mailboxId, messageId }, ownerEmail },
    { kind: 'role-digest', data: { day: clock.at - (clock.at % DAY) }, ownerEmail },
  ] satisfies NewNotice[];
};

t.test('a notice of any kind that was committed is mailed by the next run, once', async (t) => {
  const small = await open(t);
  const notices = await noticeOfEachKind(small);
  const ended = small.start(null);
  for (const notice of notices) await small.store.write((tx) => ended.write(tx, notice));
  t.equal(await small.left(), notices.length);
  await small.start().drain();
  t.same(small.mailed.map(({ subject }) => subject).sort(), [
    'A mail of ann waits for your decision',
    'A webhook endpoint was turned off',
    'Mail to abuse@w.box.test: A question',
    'Mail to postmaster and abuse on 2026-11-20',
  ]);
  const held = small.mailed.find(({ subject }) => subject.startsWith('A mail of ann'));
  t.match(held?.body, /The agent is on hold[\s\S]+not sent unless you approve it/, 'in the words of Approvals');
  await small.start().drain();
  t.equal(small.mailed.length, notices.length);
  t.equal(await small.left(), 0);
});

t.test('a notice whose cause is rolled back is not written, and one whose cause is gone is dropped', async (t) => {
  const small = await open(t);
  const notices = small.start();
  const data = { url: 'https://hooks.test/', failures: 20 };
  await t.rejects(
    small.store.write(async (tx) => {
      await notices.write(tx, { kind: 'webhook-off', data, ownerEmail });
      throw new Error('rolled back');
    }),
  );
  await small.store.write((tx) =>
    notices.write(tx, { kind: 'held', data: { pendingId: small.newId<'pending'>() }, ownerEmail }),
  );
  await notices.drain();
  t.same([small.mailed, await small.left()], [[], 0]);
});

t.test(
  'a temporary refusal is retried, a permanent one reported, and after a week the notice is given up',
  async (t) => {
    const small = await open(t);
    const { clock, store, refused } = small;
    let outcome: NoticeOutcome = { kind: 'rejected', reason: 'velocity_spike_cooldown', retryAt: clock.at + 1_000 };
    const notices = small.start(() => outcome);
    const write = () =>
      store.write((tx) =>
        notices.write(tx, { kind: 'webhook-off', data: { url: 'https://hooks.test/', failures: 20 }, ownerEmail }),
      );
    await write();
    await notices.drain();
    t.same([await small.left(), refused], [1, []]);
    outcome = { kind: 'rejected', reason: 'mailbox_inactive' };
    clock.at += 1_000;
    await notices.drain();
    t.same([await small.left(), refused], [0, ['mailbox_inactive']]);

    const idle = small.start(null);
    await store.write((tx) =>
      idle.write(tx, { kind: 'webhook-off', data: { url: 'https://hooks.test/', failures: 20 }, ownerEmail }),
    );
    clock.at += 7 * DAY + 1;
    await notices.drain();
    t.same([await small.left(), refused.at(-1)], [0, 'given up after a week']);
  },
);
