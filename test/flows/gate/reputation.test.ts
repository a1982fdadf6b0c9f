/** What may count against an address or a workspace, and what an outsider cannot bring about. */

import t from 'tap';
import { addOutcomes } from '../../../src/store/sending/outcomes.ts';
import { startBox, type TestBox } from '../../harness/box.ts';
import { cliJson } from '../../harness/cli.ts';
import { bouncedTypes, deliveryReport, feedbackReport, suppressions } from '../../harness/smtp/bounce-mail.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

/** A week of ordinary mail. */
const sixtySends = (box: TestBox) =>
  box.inStore((store) => store.write((tx) => addOutcomes(tx, box.workspace.id, Date.now(), { ended: 60, mails: 60 })));

const sendingState = async (box: TestBox) => (await box.findWorkspace()).sendingState;

/** An outsider writes, the agent answers, and the outsider has the answer's return path. */
const answered = async (box: TestBox, outsider: string): Promise<string> => {
  const ann = box.client(box.agents.ann);
  const raw = plainMail({ headers: { From: outsider, Subject: `Hi from ${outsider}` } });
  await sendMail(box.smtpPort, { from: outsider, to: [box.agents.ann.address], raw });
  const { messages } = await ann.messages.list({ limit: 1 });
  const before = box.receiver.messages.length;
  const sent = await ann.messages.send({
    to: [outsider],
    subject: 'Re: Hi',
    body: `Thanks, ${outsider}`,
    reply_to_message_id: messages[0]?.id ?? '',
  });
  t.equal(sent.status, 'sent');
  return (await box.receiver.waitFor(before + 1)).at(-1)?.mailFrom ?? '';
};

t.test('complaints about answers count once a day and organisation, and never pause', async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using box = await startBox({ surroundings: { clock } });
  await sixtySends(box);
  for (const name of ['x+0', 'x+1', 'x+2', 'x+3']) {
    const returnPath = await answered(box, `${name}@remote.test`);
    t.match(
      await sendMail(box.smtpPort, { from: '', to: [returnPath], raw: feedbackReport('abuse', returnPath) }),
      /^250/,
    );
  }
  t.equal(await sendingState(box), 'normal', 'four complaints of one organisation are one');
  const bob = await box.client(box.agents.bob).messages.send({ to: ['dave@remote.test'], subject: 'Hi', body: 'Hi' });
  t.equal(bob.status, 'sent');

  // Other organisations, each with its own domain.
  for (const domain of ['one.test', 'two.test', 'three.test', 'four.test']) {
    box.dns.zone.set(domain, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
    const returnPath = await answered(box, `x@${domain}`);
    await sendMail(box.smtpPort, { from: '', to: [returnPath], raw: feedbackReport('abuse', returnPath) });
  }
  t.equal(await sendingState(box), 'throttled', 'slowed down, and still sending');
  const reply = await answered(box, 'friend@five.test').catch(() => '');
  t.ok(reply === '' || (await sendingState(box)) !== 'paused');
  t.same(box.faults, []);
});

t.test('answers to addresses that do not exist do not pause', async (t) => {
  await using box = await startBox({
    receiver: { onRcpt: (to) => (to.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined) },
  });
  await sixtySends(box);
  const ann = box.client(box.agents.ann);
  for (let n = 0; n < 12; n += 1) {
    const from = `gone+${n}@remote.test`;
    const raw = plainMail({ headers: { From: from, Subject: `Question ${n}` } });
    await sendMail(box.smtpPort, { from, to: [box.agents.ann.address], raw });
    const { messages } = await ann.messages.list({ limit: 10 });
    const parent = messages.find(({ subject }) => subject === `Question ${n}`);
    await ann.messages.send({ to: [from], subject: 'Re', body: `No ${n}`, reply_to_message_id: parent?.id ?? '' });
  }
  await eventually(async () => (await bouncedTypes(box)).length === 12);
  t.equal(await sendingState(box), 'normal', 'twelve bounces of one organisation are one');
});

t.test('a refusal of the mail, an alias member that is gone and our own failures suppress nothing', async (t) => {
  await using box = await startBox({
    receiver: {
      onRcpt: (to) =>
        to.startsWith('small') ? { code: 552, text: '5.3.4 Message size exceeds fixed limit' } : undefined,
    },
  });
  const ann = box.client(box.agents.ann);
  const send = async (to: string) => (await ann.messages.send({ to: [to], subject: 'Hi', body: to })).messageId ?? '';

  const tooLarge = await send('small@remote.test');
  await eventually(async () => (await ann.messages.get({ id: tooLarge })).status === 'bounced');
  t.same(await bouncedTypes(box), ['permanent']);
  t.same(await suppressions(box), []);
  const notice = (await ann.messages.list({ limit: 1 })).messages[0];
  t.match((await ann.messages.get({ id: notice?.id ?? '' })).text, /This mail alone was not taken/);

  const two = await send('two@remote.test');
  await eventually(async () => (await ann.messages.get({ id: two })).status === 'delivered');
  const returnPath = box.receiver.messages.find(({ rcptTo }) => rcptTo[0] === 'two@remote.test')?.mailFrom ?? '';
  const report = deliveryReport({ recipient: 'gone@remote.test' });
  await sendMail(box.smtpPort, { from: '', to: [returnPath], raw: report });
  t.equal((await ann.messages.get({ id: two })).status, 'bounced');
  t.same(await suppressions(box), []);

  // A colleague who is suspended, and an address whose agent is made later.
  await cliJson(box.configPath, 'agents', 'suspend', 'bob');
  const toBob = await send(box.agents.bob.address);
  await eventually(async () => (await ann.messages.get({ id: toBob })).status === 'bounced');
  const toLater = await send('later@acme.agents.box.test');
  await eventually(async () => (await ann.messages.get({ id: toLater })).status === 'bounced');
  t.same(await suppressions(box), []);
  await cliJson(box.configPath, 'agents', 'resume', 'bob');
  await box.addAgent('later');
  for (const to of [box.agents.bob.address, 'later@acme.agents.box.test']) {
    const id = await send(to);
    t.ok(await eventually(async () => (await ann.messages.get({ id })).status === 'delivered'), to);
  }
  const { bounced } = await box.inStore((store) =>
    store.read.selectFrom('outcomes').select('bounced').executeTakeFirstOrThrow(),
  );
  t.equal(bounced, 0, 'and none of these counts against the workspace');
  t.same(box.faults, []);
});

t.test('rates ask for fifty ended deliveries in fifty mails', async (t) => {
  await using box = await startBox({
    receiver: { onRcpt: (to) => (to.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined) },
  });
  const ann = box.client(box.agents.ann);
  for (let n = 0; n < 12; n += 1) {
    const to = [0, 1, 2, 3, 4].map((at) => `${n < 4 ? 'gone' : 'here'}-${n}-${at}@remote.test`);
    await ann.messages.send({ to, subject: `Mail ${n}`, body: `Text ${n}` });
  }
  await eventually(async () => (await bouncedTypes(box)).length === 20 && box.receiver.messages.length === 40);
  t.equal(await sendingState(box), 'normal', 'sixty recipients in a dozen mails are too few to judge by');
});
