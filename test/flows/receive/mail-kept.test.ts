/** A plan bounds the mail that a workspace keeps. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { deliveryReport, eventsNamed } from '../../harness/smtp/bounce-mail.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;
const FULL = /^452 4\.2\.2 The mailbox is full, try again later/;
const PLANS = `[free]
mail_bytes = 55_000
[pro]
[unlimited]
`;

/** Compression leaves some 20 kB of it. */
const large = ({ address }: TestAgent) => ({
  to: [address],
  text: randomBytes(20_000).toString('base64').replace(/.{76}/g, '$&\n'),
});

const deleteMailOf = async (instance: TestInstance, agent: TestAgent): Promise<void> => {
  const { messages } = await instance.client(agent).messages.list({});
  for (const { id } of messages) t.equal((await instance.request(agent, 'DELETE', `/v1/messages/${id}`)).status, 200);
};

const noticesOf = ({ receiver }: TestInstance) =>
  receiver.messages.filter(({ raw }) => raw.includes('Subject: The workspace acme takes no more mail'));

const sizeOf = async (instance: TestInstance): Promise<number> =>
  (await instance.client(instance.agents.ann).messages.list({})).messages.length;

t.test('a workspace that keeps what its plan includes takes no more mail until some was deleted', async (t) => {
  const clock = movableClock();
  await using instance = await startInstance({ plans: PLANS, runtime: { clock } });
  const { smtpPort, configPath, daemon } = instance;
  const { ann, bob } = instance.agents;
  const cora = await instance.addAgent('cora', await instance.addWorkspace('Other'));
  const dan = await instance.addAgent('dan', await instance.addWorkspace('Third'));
  await cliJson(configPath, 'workspaces', 'plan', 'acme', '--plan', 'free');
  await cliJson(configPath, 'workspaces', 'plan', 'other', '--plan', 'free');

  for (const to of [ann, bob, ann]) t.match(await sendMail(smtpPort, large(to)), /^250/);
  for (const to of [ann, bob]) t.match(await refusalOf(smtpPort, large(to)), FULL, 'its mailboxes count together');
  t.match(await sendMail(smtpPort, large(cora)), /^250/, 'another workspace has its own');
  t.match(await sendMail(smtpPort, { to: [ann.address.replace('ann@', 'postmaster@')] }), /^250/);
  for (let mail = 0; mail < 4; mail += 1) {
    t.match(await sendMail(smtpPort, large(dan)), /^250/, 'a plan without the key takes all');
  }
  await eventually(async () => noticesOf(instance).length === 1);

  await instance.client(cora).messages.send({ to: [ann.address], subject: 'Kept', body: 'In the queue' });
  const queue = async () =>
    ((await cliJson(configPath, 'queue', 'list')) as { queue: { id: string; last_response: string | null }[] }).queue;
  await eventually(async () => FULL.test((await queue())[0]?.last_response ?? ''));
  t.match(await instance.request(ann, 'POST', '/v1/messages', { to: ['a@remote.test'], subject: 'Out', body: 'Out' }), {
    status: 200,
  });

  clock.pass(DAY);
  await daemon.jobs.runAll();
  t.match(await refusalOf(smtpPort, large(ann)), FULL, 'what the night measured');
  await eventually(async () => noticesOf(instance).length === 2);
  t.match(await refusalOf(smtpPort, large(bob)), FULL);
  await deleteMailOf(instance, ann);
  t.match(await refusalOf(smtpPort, large(ann)), FULL, 'until the night');

  clock.pass(DAY);
  await daemon.jobs.runAll();
  t.match(await sendMail(smtpPort, large(ann)), /^250/);
  for (const { id } of await queue()) await cliJson(configPath, 'queue', 'retry', id);
  await eventually(async () => (await queue()).length === 0);
  const { messages } = await instance.client(ann).messages.list({});
  t.ok(messages.some(({ subject }) => subject === 'Kept'));
  t.match(await sendMail(smtpPort, large(bob)), /^250/);
  t.match(await refusalOf(smtpPort, large(bob)), FULL, 'the day counts with what was measured');
  await eventually(async () => noticesOf(instance).length === 3);
  t.same(instance.faults, []);
});

t.test('nor does it by the return paths of its own mail, of which a full one keeps no text', async (t) => {
  await using instance = await startInstance({ plans: PLANS });
  const { smtpPort, configPath, receiver } = instance;
  const { ann } = instance.agents;
  const api = instance.client(ann);
  await cliJson(configPath, 'workspaces', 'plan', 'acme', '--plan', 'free');
  await api.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi.' });
  const [{ mailFrom: returnPath } = { mailFrom: '' }] = await receiver.waitFor(1);
  await eventually(async () => (await api.messages.list({})).messages[0]?.status === 'delivered');
  for (let mail = 0; mail < 3; mail += 1) t.match(await sendMail(smtpPort, large(ann)), /^250/);
  t.match(await refusalOf(smtpPort, large(ann)), FULL);

  const by = { ...large(ann), to: [returnPath] };
  t.match(await refusalOf(smtpPort, by), FULL);
  t.match(await refusalOf(smtpPort, { ...by, from: '' }), FULL, 'the null sender’s');
  t.match(await refusalOf(smtpPort, { ...by, headers: { 'Auto-Submitted': 'auto-replied' } }), FULL);
  t.equal(await sizeOf(instance), 4);
  const bounce = deliveryReport({ recipient: 'carol@remote.test' });
  t.match(await sendMail(smtpPort, { from: '', to: [returnPath], raw: bounce }), /^250/);
  t.equal((await eventsNamed(instance, 'message.bounced')).length, 1, 'what a report says counts');
  t.equal(await sizeOf(instance), 4);
  t.same(instance.faults, []);
});
