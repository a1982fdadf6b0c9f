/** What waits for a person is bounded, and so is what a person is told of it. */

import t from 'tap';
import { HELD_NOTICES_PER_HOUR } from '../../../src/notices/held-notices.ts';
import { MAX_OPEN_HELD, MAX_OPEN_HELD_BYTES } from '../../../src/outbound/gate/gate-checks.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const HOUR = 3_600_000;

t.test('a mailbox with as much held mail as may wait sends nothing until some is decided', async (t) => {
  const started = Date.now();
  // The beginning of an hour, so that all is held within it.
  const clock = { ahead: Date.UTC(2026, 10, 20, 12) - started, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  const { ann, bob } = instance.agents;
  const send = async (agent = ann, body = 'Hi') => {
    const mail = { to: ['carol@remote.test'], subject: 'Hi', body };
    const response = await instance.request(agent, 'POST', '/v1/messages', mail);
    return (await response.json()) as { status: string; pendingId?: string; reason?: string; retryAfter?: string };
  };
  const notices = () =>
    instance.receiver.messages
      .filter(({ rcptTo }) => rcptTo.includes('owner@remote.test'))
      .map(({ raw }) => raw.toString().replaceAll('=\r\n', ''));

  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const ids: string[] = [];
  for (let n = 0; n < MAX_OPEN_HELD; n += 1) {
    const { status, pendingId = '' } = await send();
    if (status !== 'held') t.fail(`${n} is ${status}`);
    ids.push(pendingId);
  }
  const { pending: newest, next_cursor } = await instance.client(ann).pending.listPending({ limit: 95 });
  const cursor = next_cursor ?? undefined;
  const { pending: others } = await instance.client(ann).pending.listPending({ limit: 100, cursor });
  const listed = [...newest, ...others].map(({ pending_id }) => pending_id);
  t.same(listed, ids.slice(-195).reverse(), 'a list is read some at a time, and whole');
  const refused = await send();
  t.match(refused, { status: 'rejected', reason: 'too_much_held_mail', retryAfter: /^2026-11-27T12:/ });
  t.match(await send(bob), { status: 'sent' }, 'other mailboxes send');
  const booked = await instance.client(ann).messages.send({
    ...{ to: ['carol@remote.test'], subject: 'Later', body: 'Hi' },
    send_at: new Date(clock.now() + 20 * 60_000).toISOString(),
  });

  await t.test('whatever it sends, so that nothing is told by what is refused', async (t) => {
    await cliJson(instance.configPath, 'agents', 'hold', 'ann', '--off');
    t.match(await send(), { status: 'rejected', reason: 'too_much_held_mail' });
    await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  });

  await t.test('a person releases what waits, and makes room for more', async (t) => {
    t.match(await cliJson(instance.configPath, 'pending', 'approve', ids[0] ?? ''), { failure_reason: null });
    t.match(await send(), { status: 'held' });
    t.match(await send(), { status: 'rejected' });
    await runCli(instance.configPath, 'pending', 'reject', ids[1] ?? '', '--yes');
    t.match(await send(), { status: 'held' });
  });

  await t.test('so does its size', async (t) => {
    await runCli(instance.configPath, 'pending', 'reject', ids[2] ?? '', '--yes');
    const resize = (size: number) =>
      instance.inStore((store) =>
        store.write((tx) => tx.db.updateTable('pending_sends').set({ size }).where('subject', '=', 'Large').execute()),
      );
    const large = { to: ['carol@remote.test'], subject: 'Large', body: 'Hi' };
    t.equal((await instance.request(ann, 'POST', '/v1/messages', large)).status, 202);
    await runCli(instance.configPath, 'pending', 'reject', ids[3] ?? '', '--yes');
    await resize(MAX_OPEN_HELD_BYTES);
    t.match(await send(), { status: 'rejected', reason: 'too_much_held_mail' });
    await resize(1_000);
    t.match(await send(), { status: 'held' });
  });

  await t.test('its owner is told of some, and at the end of the hour how many more wait', async (t) => {
    await eventually(async () => notices().length === HELD_NOTICES_PER_HOUR);
    await instance.restart();
    clock.ahead += HOUR / 2;
    await instance.daemon.jobs.runAll();
    t.equal(notices().length, HELD_NOTICES_PER_HOUR, 'no more within the hour');
    t.match(
      await eventually(async () => {
        const outcome = await instance.client(ann).scheduled.getScheduled({ id: booked.scheduled_id ?? '' });
        return outcome.status !== 'pending' && outcome;
      }),
      { status: 'failed', failure_reason: 'too_much_held_mail' },
      'a booked mail fails where no more may wait',
    );
    clock.ahead += HOUR / 2;
    await instance.daemon.jobs.runAll();
    const digest = await eventually(async () => notices()[HELD_NOTICES_PER_HOUR]);
    t.match(
      digest,
      new RegExp(`^Subject: ${MAX_OPEN_HELD + 4 - HELD_NOTICES_PER_HOUR} more mails wait for your decision`, 'm'),
    );
    t.match(digest, /console\/approvals/);
    t.equal(notices().length, HELD_NOTICES_PER_HOUR + 1, 'one mail');
  });
  t.same(instance.faults, []);
});
