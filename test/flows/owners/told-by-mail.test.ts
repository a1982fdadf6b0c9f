/** What persons are told by mail, each as it has chosen: held mail, and the digest of whole days, once. */

import t from 'tap';
import { startOfDay } from '../../../src/kernel/utc-period.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { createPushBrowser } from '../../harness/http/push.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OWNER = 'owner@remote.test';
const GUEST = 'guest@remote.test';

const subjectsTo = (instance: TestInstance, address: string): string[] =>
  instance.receiver.messages
    .filter(({ rcptTo }) => rcptTo.includes(address))
    .map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '');

const start = async () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const instance = await startInstance({ runtime: { clock } });
  return { instance, clock };
};

/** Noon in UTC of the next Tuesday but today. */
const nextTuesday = (): number => {
  const today = startOfDay(Date.now());
  const days = (9 - new Date(today).getUTCDay()) % 7 || 7;
  return today + days * DAY + 12 * HOUR;
};

t.test('each owner chooses whether held mail is told by mail', async (t) => {
  const { instance } = await start();
  await using _ = instance;
  await asOperator(instance, (call) => call(contracts.owners.add, { email: GUEST, workspace: 'acme' }));
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const owner = await signInOwner(instance);
  const guest = await signInOwner(instance, GUEST);
  t.match((await owner.call('told/get')).body.mail, { held: true, needs: true }, 'whom the workspace names');
  t.match((await guest.call('told/get')).body.mail, { held: false, needs: false });
  const send = () =>
    instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  const count = () => [subjectsTo(instance, OWNER).length, subjectsTo(instance, GUEST).length];
  await send();
  await eventually(async () => count()[0] === 1);
  t.match((await guest.call('told/set', { mail: { held: true } })).body.mail, { held: true, needs: false });
  await send();
  await eventually(async () => count()[0] === 2 && count()[1] === 1);
  t.match((await owner.call('told/set', { mail: { held: false } })).body.mail, { held: false, needs: true });
  await send();
  await eventually(async () => count()[1] === 2);
  t.same(count(), [2, 2]);
  t.same(instance.faults, []);
});

t.test(
  'held mail is told by mail once the last browser that was told is gone, or was not used for 14 days',
  async (t) => {
    await using box = await startWebhookInstance();
    const { instance, receiver, clock } = box;
    await cliJson(instance.configPath, 'agents', 'hold', 'ann');
    const subscribe = async (path: string, email = OWNER) => {
      const person = await signInOwner(instance, email);
      await person.call('told/subscribe', { endpoint: box.url(path), keys: createPushBrowser().keys });
      await person.call('told/set', { mail: { held: false, needs: false }, push: { needs: false } });
      return person;
    };
    const send = async (ms: number) => {
      await instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
      clock.pass(ms);
      await instance.daemon.push.drain();
    };
    const notices = () => subjectsTo(instance, OWNER).filter((subject) => /waits for/.test(subject)).length;
    await asOperator(instance, (call) => call(contracts.owners.add, { email: GUEST, workspace: 'acme' }));
    const guest = await subscribe('/push/gone', GUEST);
    const [first] = [await subscribe('/push/gone'), await subscribe('/push/2')];
    receiver.answer(({ path }, response) => void response.writeHead(path === '/push/gone' ? 410 : 201).end());
    await send(2 * MINUTE);
    t.match((await first.call('told/get')).body, { push: { here: null }, mail: { held: false } }, 'one is left');
    t.match((await guest.call('told/get')).body, { push: { here: null }, mail: { held: true, needs: false } });
    clock.pass(15 * DAY);
    await instance.daemon.jobs.runAll();
    t.equal(notices(), 0);
    await send(MINUTE);
    await eventually(async () => notices() === 1);
  },
);

t.test('a digest comes at the hour of its zone, once for each day, and not of a day without anything', async (t) => {
  const { instance, clock } = await start();
  await using _ = instance;
  const owner = await signInOwner(instance);
  const noon = nextTuesday();
  /** A number of days later, at 15:00 in UTC: 08:00 in Phoenix, in summer too. */
  const eight = (days: number): number => noon + days * DAY + 3 * HOUR;
  const dayOf = (days: number): string => new Date(noon + days * DAY).toISOString().slice(0, 10);
  const timeOf = (days: number): string => new Date(eight(days)).toISOString();
  clock.ahead = noon - Date.now();
  const digest = { every: 'daily', hour: 8, zone: 'America/Phoenix' };
  for (const wrong of [{ hour: 24 }, { hour: 1.5 }, { zone: 'Phoenix' }, { zone: '+02:00' }, { every: 'hourly' }]) {
    t.match(await owner.call('told/set', { digest: { ...digest, ...wrong } }), { status: 400 }, JSON.stringify(wrong));
  }
  t.match((await owner.call('told/set', { digest })).body.digest, { next_at: timeOf(0) });
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: 'A question' } });
  const bob = instance.client(instance.agents.bob);
  const { messageId } = await bob.messages.send({ to: ['a@remote.test'], subject: 'Hi', body: 'Hi' });
  // It counts on the day of its delivery.
  await eventually(async () => (await bob.messages.get({ id: messageId ?? '' })).status === 'delivered');
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await instance.client(instance.agents.ann).messages.send({ to: ['a@peer.test'], subject: 'Held', body: 'Hi' });

  const digests = () => subjectsTo(instance, OWNER).filter((subject) => subject.startsWith('Your agents'));
  const goTo = async (at: number): Promise<void> => {
    clock.ahead = at - Date.now();
    await instance.daemon.jobs.runAll();
  };
  await goTo(eight(0) + MINUTE);
  t.same(digests(), [], 'no whole day yet');
  await goTo(eight(1) - 2 * MINUTE);
  t.same(digests(), [], 'before the hour');
  await goTo(eight(1) + MINUTE);
  await eventually(async () => digests().length === 1);
  t.same(digests(), [`Your agents on ${dayOf(0)}: 1 to decide`]);
  const sent = instance.receiver.messages.find(({ raw }) => /^Subject: Your agents/m.test(raw.toString()));
  const body = sent?.raw.toString().replaceAll('=\r\n', '') ?? '';
  t.match(body, /acme\**: 1 received, 1 sent, 1 waits for your decision/);
  t.match(body, /ann\W+1 received, 0 sent, 1 waits/);
  t.match(body, /bob\W+0 received, 1 sent\r/);
  t.match(body, /console\/you#told/);
  t.notMatch(body, /A question|Held/, 'no mail’s words');
  await instance.restart();
  await instance.daemon.jobs.runAll();
  t.equal(digests().length, 1, 'once over a restart');

  const held = await asOperator(instance, (call) => call(contracts.heldMail.list, { workspace: 'acme' }));
  for (const { pending_id } of held.pending) {
    await cliJson(instance.configPath, 'pending', 'reject', pending_id, '--yes');
  }
  await goTo(eight(2) + MINUTE);
  await goTo(eight(3) + MINUTE);
  t.equal(digests().length, 1, 'nothing happened');

  t.match((await owner.call('told/set', { digest: { ...digest, every: 'weekly' } })).body.digest, {
    every: 'weekly',
    next_at: timeOf(6),
  });
  await sendMail(instance.smtpPort, { to: [instance.agents.bob.address], headers: { Subject: 'Another' } });
  await goTo(eight(5) + MINUTE);
  t.equal(digests().length, 1);
  // The daemon was away at its hour.
  await goTo(eight(6) + 5 * HOUR);
  await eventually(async () => digests().length === 2);
  t.equal(digests()[1], `Your agents on ${dayOf(3)} to ${dayOf(5)}`);
  t.match((await owner.call('told/set', { digest: { ...digest, every: 'off' } })).body.digest, { next_at: null });
  await goTo(eight(13) + MINUTE);
  t.equal(digests().length, 2);
  t.same(instance.faults, []);
});
