/** What may count against an address or a workspace, and what an outsider cannot bring about. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { setSendingState } from '../../../src/store/accounts/workspaces.ts';
import { addOutcomes } from '../../../src/store/sending/outcomes.ts';
import type { Tx } from '../../../src/store/store.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { alignMailOf } from '../../harness/net/aligned.ts';
import { noonClock } from '../../harness/noon.ts';
import { asOperator } from '../../harness/operator.ts';
import { bouncedTypes, deliveryReport, feedbackReport, suppressions } from '../../harness/smtp/bounce-mail.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

/** A week of ordinary mail. */
const sixtySends = (instance: TestInstance) =>
  instance.inStore((store) =>
    store.write((tx) => addOutcomes(tx, instance.workspace.id, Date.now(), { ended: 60, mails: 60 })),
  );

const sendingState = async (instance: TestInstance) => (await instance.findWorkspace()).sendingState;

/** An outsider writes, the agent answers, and the outsider has the answer's return path. */
const answered = async (instance: TestInstance, outsider: string): Promise<string> => {
  const ann = instance.client(instance.agents.ann);
  const raw = plainMail({ headers: { From: outsider, Subject: `Hi from ${outsider}` } });
  await sendMail(instance.smtpPort, { from: outsider, to: [instance.agents.ann.address], raw });
  const { messages } = await ann.messages.list({ limit: 1 });
  const before = instance.receiver.messages.length;
  const sent = await ann.messages.send({
    to: [outsider],
    subject: 'Re: Hi',
    body: `Thanks, ${outsider}`,
    reply_to_message_id: messages[0]?.id ?? '',
  });
  t.equal(sent.status, 'sent');
  return (await instance.receiver.waitFor(before + 1)).at(-1)?.mailFrom ?? '';
};

t.test('complaints about replies count once a day and organisation, and never pause', async (t) => {
  const clock = noonClock();
  await using instance = await startInstance({ runtime: { clock } });
  await sixtySends(instance);
  alignMailOf(instance, 'remote.test');
  for (const name of ['x+0', 'x+1', 'x+2', 'x+3']) {
    const returnPath = await answered(instance, `${name}@remote.test`);
    t.match(
      await sendMail(instance.smtpPort, { from: '', to: [returnPath], raw: feedbackReport('abuse', returnPath) }),
      /^250/,
    );
  }
  t.equal(await sendingState(instance), 'normal', 'four complaints of one organisation are one');
  const bob = await instance
    .client(instance.agents.bob)
    .messages.send({ to: ['dave@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(bob.status, 'sent');

  // Other organisations, each with its own domain.
  const organisations = ['one.test', 'two.test', 'three.test', 'four.test'];
  for (const domain of [...organisations, 'five.test']) {
    instance.dns.zone.set(domain, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
    alignMailOf(instance, domain);
  }
  for (const domain of organisations) {
    const returnPath = await answered(instance, `x@${domain}`);
    await sendMail(instance.smtpPort, { from: '', to: [returnPath], raw: feedbackReport('abuse', returnPath) });
  }
  t.equal(await sendingState(instance), 'throttled');
  t.ok(await answered(instance, 'friend@five.test'), 'slowed down, and still answering');
  t.same(instance.faults, []);
});

t.test('replies to addresses that do not exist do not pause', async (t) => {
  await using instance = await startInstance({
    receiver: { onRcpt: (to) => (to.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined) },
  });
  await sixtySends(instance);
  alignMailOf(instance, 'remote.test');
  const ann = instance.client(instance.agents.ann);
  for (let n = 0; n < 12; n += 1) {
    const from = `gone+${n}@remote.test`;
    const raw = plainMail({ headers: { From: from, Subject: `Question ${n}` } });
    await sendMail(instance.smtpPort, { from, to: [instance.agents.ann.address], raw });
    const { messages } = await ann.messages.list({ limit: 10 });
    const parent = messages.find(({ subject }) => subject === `Question ${n}`);
    await ann.messages.send({ to: [from], subject: 'Re', body: `No ${n}`, reply_to_message_id: parent?.id ?? '' });
  }
  await eventually(async () => (await bouncedTypes(instance)).length === 12);
  t.equal(await sendingState(instance), 'normal', 'twelve bounces of one organisation are one');
});

t.test('a refusal of the mail, an alias member that is gone and our own failures suppress nothing', async (t) => {
  await using instance = await startInstance({
    receiver: {
      onRcpt: (to) =>
        to.startsWith('small') ? { code: 552, text: '5.3.4 Message size exceeds fixed limit' } : undefined,
    },
  });
  const ann = instance.client(instance.agents.ann);
  const send = async (to: string) => (await ann.messages.send({ to: [to], subject: 'Hi', body: to })).messageId ?? '';

  const tooLarge = await send('small@remote.test');
  await eventually(async () => (await ann.messages.get({ id: tooLarge })).status === 'bounced');
  t.same(await bouncedTypes(instance), ['permanent']);
  t.same(await suppressions(instance), []);
  const notice = (await ann.messages.list({ limit: 1 })).messages[0];
  t.match((await ann.messages.get({ id: notice?.id ?? '' })).text, /This mail alone was not taken/);

  const two = await send('two@remote.test');
  await eventually(async () => (await ann.messages.get({ id: two })).status === 'delivered');
  const returnPath = instance.receiver.messages.find(({ rcptTo }) => rcptTo[0] === 'two@remote.test')?.mailFrom ?? '';
  const report = deliveryReport({ recipient: 'gone@remote.test' });
  await sendMail(instance.smtpPort, { from: '', to: [returnPath], raw: report });
  t.equal((await ann.messages.get({ id: two })).status, 'bounced');
  t.same(await suppressions(instance), []);

  // A colleague who is suspended, and an address whose agent is made later.
  await cliJson(instance.configPath, 'agents', 'suspend', 'bob');
  const toBob = await send(instance.agents.bob.address);
  await eventually(async () => (await ann.messages.get({ id: toBob })).status === 'bounced');
  const refused = (await ann.messages.list({ limit: 1 })).messages[0];
  const { text: told } = await ann.messages.get({ id: refused?.id ?? '' });
  t.match(told, /mx\.box\.test said:\n\n {2}550 5\.2\.1 .*\n\nThe address is on this server, which suppresses none/);
  const toLater = await send('later@acme.agents.box.test');
  await eventually(async () => (await ann.messages.get({ id: toLater })).status === 'bounced');
  t.same(await suppressions(instance), []);
  await cliJson(instance.configPath, 'agents', 'resume', 'bob');
  await instance.addAgent('later');
  for (const to of [instance.agents.bob.address, 'later@acme.agents.box.test']) {
    const id = await send(to);
    t.ok(await eventually(async () => (await ann.messages.get({ id })).status === 'delivered'), to);
  }
  const { bounced } = await instance.inStore((store) =>
    store.read.selectFrom('outcomes').select('bounced').executeTakeFirstOrThrow(),
  );
  t.equal(bounced, 0, 'and none of these counts against the workspace');
  t.same(instance.faults, []);
});

t.test('rates ask for fifty ended deliveries in fifty mails', async (t) => {
  await using instance = await startInstance({
    receiver: { onRcpt: (to) => (to.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined) },
  });
  const ann = instance.client(instance.agents.ann);
  for (let n = 0; n < 12; n += 1) {
    const to = [0, 1, 2, 3, 4].map((at) => `${n < 4 ? 'gone' : 'here'}-${n}-${at}@remote.test`);
    await ann.messages.send({ to, subject: `Mail ${n}`, body: `Text ${n}` });
  }
  await eventually(
    async () => (await bouncedTypes(instance)).length === 20 && instance.receiver.messages.length === 40,
  );
  t.equal(await sendingState(instance), 'normal', 'sixty recipients in a dozen mails are too few to judge by');
});

t.test('mail that a throttle has slowed down goes once the throttle ends', async (t) => {
  const clock = noonClock();
  await using instance = await startInstance({ runtime: { clock } });
  const { id } = await instance.findWorkspace();
  const throttle = (tx: Tx) => setSendingState(tx, id, 'throttled', 'bounce_rate', clock.now());
  await instance.inStore((store) => store.write(throttle));
  const ann = instance.client(instance.agents.ann);
  const send = (n: number) => ann.messages.send({ to: [`x${n}@remote.test`], subject: 'Hi', body: `Hi ${n}` });
  for (const n of [0, 1, 2]) await send(n);
  await instance.receiver.waitFor(1);
  await asOperator(instance, (call) => call(contracts.workspaces.resume, { workspace: 'acme' }));
  await instance.receiver.waitFor(3);
  await instance.inStore((store) => store.write(throttle));
  await send(3);
  await instance.receiver.waitFor(4);
  t.same(instance.faults, [], 'and a later throttle begins anew');
});
