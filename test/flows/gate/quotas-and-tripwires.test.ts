import t from 'tap';
import { setPlan } from '../../../src/store/accounts/workspaces.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { alignMailOf } from '../../harness/net/aligned.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Noon, so that a test's hours stay within one UTC day. */
const NOON = Date.UTC(2026, 10, 18, 12);

const clockAt = (start: number) => {
  const clock = { at: start, now: () => clock.at };
  return clock;
};

let serial = 0;
const send = async (instance: TestInstance, agent: TestAgent, change: object = {}) => {
  serial += 1;
  const words = `Text ${'abcdefghij'.charAt(serial % 10)}${serial.toString(36).replace(/\d/g, (digit) => 'klmnopqrst'.charAt(Number(digit)))}`;
  const response = await instance.request(agent, 'POST', '/v1/messages', {
    to: ['carol@remote.test'],
    subject: 'Hi',
    body: words,
    ...change,
  });
  return {
    status: response.status,
    body: (await response.json()) as { reason?: string; retryAfter?: string; messageId?: string },
  };
};

const usePlan = (instance: TestInstance, plan: string, cap: number | null = null) =>
  instance.inStore((store) => store.write((tx) => setPlan(tx, instance.workspace.id, plan, cap)));

t.test('two hundred sends at once from ten mailboxes: exactly the fifty of the plan pass', async (t) => {
  const clock = clockAt(NOON);
  await using instance = await startInstance({ runtime: { clock } });
  await usePlan(instance, 'free');
  const agents = await Promise.all(Array.from({ length: 10 }, (_, n) => instance.addAgent(`agent-${n}`)));
  const answers = await Promise.all(agents.flatMap((agent) => Array.from({ length: 20 }, () => send(instance, agent))));
  t.equal(answers.filter(({ status }) => status === 200).length, 50);
  const refused = answers.filter(({ status }) => status === 422);
  t.equal(refused.length, 150);
  t.ok(refused.every(({ body }) => body.reason === 'daily_send_quota_exhausted'));
  t.equal(refused[0]?.body.retryAfter, '2026-11-19T00:00:00.000Z', 'until the UTC day ends');
  clock.at = Date.UTC(2026, 10, 19);
  t.equal((await send(instance, agents[0] ?? instance.agents.ann)).status, 200);
});

t.test('a reply counts a tenth; the month ends; overage is metered up to the cap', async (t) => {
  const clock = clockAt(NOON);
  await using instance = await startInstance({
    runtime: { clock },
    plans: `
[free]
sends_per_day = 2
sends_per_month = 3
velocity_floor = 1000
duplicate_recipients = 1000
[pro]
sends_per_month = 1
overage_usd = 0.5
spend_cap_usd = 1.0
velocity_floor = 1000
duplicate_recipients = 1000
[unlimited]
velocity_floor = 1000
duplicate_recipients = 1000
`,
  });
  const { ann } = instance.agents;
  alignMailOf(instance, 'remote.test');
  await sendMail(instance.smtpPort, { to: [ann.address] });
  const reply_to_message_id = (await instance.client(ann).messages.list({})).messages[0]?.id;
  await usePlan(instance, 'free');
  t.equal((await send(instance, ann)).status, 200);
  for (let n = 0; n < 10; n += 1) t.equal((await send(instance, ann, { reply_to_message_id })).status, 200);
  t.match((await send(instance, ann, { reply_to_message_id })).body, { reason: 'daily_send_quota_exhausted' });
  clock.at += DAY;
  t.equal((await send(instance, ann)).status, 200);
  t.match((await send(instance, ann)).body, {
    reason: 'monthly_send_quota_exhausted',
    retryAfter: '2026-12-01T00:00:00.000Z',
  });
  clock.at = Date.UTC(2026, 11, 1, 12);
  await usePlan(instance, 'pro');
  t.equal((await send(instance, ann)).status, 200, 'included');
  t.equal((await send(instance, ann)).status, 200, '0.50 over');
  t.equal((await send(instance, ann)).status, 200, '1.00 over');
  const capped = await send(instance, ann);
  t.match(capped.body, { status: 'rejected', reason: 'monthly_spend_cap_reached' }, 'no time lifts it');
  await usePlan(instance, 'pro', 2);
  t.equal((await send(instance, ann)).status, 200, 'an owner may');
});

t.test('velocity: a spike trips, cools down, and a known correspondent is still answered', async (t) => {
  const clock = clockAt(NOON);
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  alignMailOf(instance, 'remote.test');
  await sendMail(instance.smtpPort, { to: [ann.address] });
  const reply_to_message_id = (await instance.client(ann).messages.list({})).messages[0]?.id;
  await usePlan(instance, 'free');
  for (let n = 0; n < 20; n += 1) t.equal((await send(instance, ann)).status, 200);
  const spike = await send(instance, ann);
  t.match(spike.body, { reason: 'velocity_spike_detected', retryAfter: new Date(NOON + HOUR).toISOString() });
  t.match((await send(instance, ann)).body, {
    reason: 'velocity_spike_cooldown',
    retryAfter: new Date(NOON + HOUR).toISOString(),
  });
  t.equal((await send(instance, ann, { reply_to_message_id })).status, 200, 'an answer to whom it knows is not cold');
  t.match(
    (await send(instance, ann, { reply_to_message_id, to: ['stranger@remote.test'] })).body,
    { reason: 'velocity_spike_cooldown' },
    'a reply to a new address is',
  );
  clock.at += HOUR + 61_000;
  t.equal((await send(instance, ann)).status, 200);
});

t.test('one body to many recipients', async (t) => {
  const clock = clockAt(NOON);
  await using instance = await startInstance({ runtime: { clock } });
  const { ann } = instance.agents;
  await usePlan(instance, 'free');
  const to = (n: number) => [
    `r${n}a@remote.test`,
    `r${n}b@remote.test`,
    `r${n}c@remote.test`,
    `r${n}d@remote.test`,
    `r${n}e@remote.test`,
  ];
  t.equal((await send(instance, ann, { to: to(1), body: 'Dear customer 17, buy now!' })).status, 200);
  t.equal((await send(instance, ann, { to: to(2), body: 'dear CUSTOMER  23,\nbuy now!' })).status, 200);
  t.match((await send(instance, ann, { to: ['r3@remote.test'], body: 'Dear customer 4, buy now!' })).body, {
    reason: 'duplicate_content_burst_detected',
  });
  t.equal((await send(instance, ann, { to: ['r3@remote.test'], body: 'Something else entirely.' })).status, 200);
  clock.at += 10 * 60_000 + 1;
  t.equal((await send(instance, ann, { to: ['r3@remote.test'], body: 'Dear customer 4, buy now!' })).status, 200);
});

t.test('bounces suppress, throttle and pause; a clean day and an owner lift', async (t) => {
  const clock = clockAt(NOON);
  const gone = new Set<string>();
  await using instance = await startInstance({
    runtime: { clock },
    receiver: { onRcpt: (address) => (gone.has(address) ? { code: 550, text: '5.1.1 No such user' } : undefined) },
  });
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const bounce = async (address: string) => {
    gone.add(address);
    const { body } = await send(instance, ann, { to: [address] });
    await eventually(async () => {
      // Only this clock moves: the minute that asking counts to, and the pace of a throttled workspace.
      clock.at += 5_000;
      return (await api.messages.get({ id: body.messageId ?? '' })).status === 'bounced';
    });
  };
  for (let n = 0; n < 60; n += 1) await send(instance, ann, { to: [`ok${n}@remote.test`] });
  // No two messages of a mailbox share a time: sixty of one moment leave over as many milliseconds.
  clock.at += 1_000;
  await instance.receiver.waitFor(60, 20_000);
  await bounce('gone1@remote.test');
  t.match((await send(instance, ann, { to: ['gone1@remote.test'] })).body, {
    reason: 'recipient_suppressed:gone1@remote.test',
  });
  t.match((await api.suppressions.list({})).suppressions, [
    { address: 'gone1@remote.test', reason: 'bounce', bounce_type: 'permanent', until: null },
  ]);
  t.same(await api.suppressions.remove({ address: 'GONE1@remote.test' }), { deleted: true });
  t.match(await api.suppressions.remove({ address: 'gone1@remote.test' }).catch((e: unknown) => e), {
    code: 'suppression_not_found',
  });

  for (const n of [2, 3, 4]) await bounce(`gone${n}@remote.test`);
  t.equal((await instance.findWorkspace()).sendingState, 'throttled', 'at 5 % of 64');
  const slowed = [await send(instance, ann), await send(instance, ann)];
  const dues = await Promise.all(
    slowed.map(async ({ body }) => (await api.messages.get({ id: body.messageId ?? '' })).deliveries[0]),
  );
  // No two messages of a mailbox share a time, so a notice of this very moment moves what follows by a millisecond.
  const wait = Date.parse(dues[1]?.next_attempt_at ?? '') - clock.at;
  t.ok(wait >= 60_000 && wait <= 60_010, 'cold mail leaves at one a minute');
  clock.at += DAY + HOUR;
  await instance.daemon.jobs.runAll();
  t.equal((await instance.findWorkspace()).sendingState, 'normal', 'a clean day lifts it');
  const { body: good } = await send(instance, ann);
  await eventually(async () => (await api.messages.get({ id: good.messageId ?? '' })).status === 'delivered');
  t.equal((await instance.findWorkspace()).sendingState, 'normal', 'and mail that arrives brings it not back');

  for (let n = 5; (await instance.findWorkspace()).sendingState !== 'paused' && n <= 9; n += 1)
    await bounce(`gone${n}@remote.test`);
  t.equal((await instance.findWorkspace()).sendingState, 'paused', 'at 10 %');
  t.match((await send(instance, ann)).body, { status: 'rejected', reason: 'workspace_paused' });
  const names = (await instance.events()).map(({ name }) => name).filter((name) => name.startsWith('workspace.'));
  t.same(names, ['workspace.throttled', 'workspace.resumed', 'workspace.throttled', 'workspace.paused']);
  const mail = await eventually(async () =>
    instance.receiver.messages.find(({ raw }) =>
      /^Subject: Sending of the workspace acme is paused\r$/m.test(`${raw}`),
    ),
  );
  t.same(mail.rcptTo, ['owner@remote.test'], 'a throttle lifts itself, and only a pause is mailed');
  t.match(`${mail.raw}`, /Bounces reached 1\d\.\d\d %[\s\S]+postroom workspaces resume acme/);
});
