/** A message that is named makes a reply only to those who were there: no other send gets a reply's quota. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { alignMailOf } from '../../harness/net/aligned.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const receive = async (instance: TestInstance, headers: Record<string, string>, from?: string) => {
  const { ann } = instance.agents;
  await sendMail(instance.smtpPort, { to: [ann.address], headers, ...(from !== undefined && { from }) });
  return (await instance.client(ann).messages.list({ limit: 1, direction: 'in' })).messages[0]?.id ?? '';
};

const classOf = async (instance: TestInstance, send: () => Promise<{ messageId?: string | undefined }>) => {
  const { messageId } = await send();
  const events = await instance.events();
  return events.find(({ name, data }) => name === 'message.sent' && data.message_id === messageId)?.data.send_class;
};

t.test('a reply goes to those who were there', async (t) => {
  await using instance = await startInstance();
  alignMailOf(instance, 'remote.test');
  const { ann, bob } = instance.agents;
  const api = instance.client(ann);
  const headers = { To: `${ann.address}, dave@remote.test`, Cc: 'eve@remote.test', 'Reply-To': 'desk@remote.test' };
  const id = await receive(instance, headers);
  const send = (...to: string[]) =>
    classOf(instance, () =>
      api.messages.send({ to, subject: 'Re: x', body: crypto.randomUUID(), reply_to_message_id: id }),
    );
  for (const to of ['carol@remote.test', 'desk@remote.test', 'Dave@Remote.test', 'eve@remote.test', bob.address]) {
    t.equal(await send(to), 'reply', to);
  }
  t.equal(await send('victim@remote.test'), 'cold', 'any message could be named');
  t.equal(await send('carol@remote.test', 'victim@remote.test'), 'cold', 'one recipient suffices');
  t.equal(await classOf(instance, () => api.messages.replyAll({ id, body: 'Yes.' })), 'reply');
  t.equal(await classOf(instance, () => api.messages.forward({ id, to: ['victim@remote.test'] })), 'cold');
  t.equal(await classOf(instance, () => api.messages.forward({ id, to: [bob.address] })), 'reply');
  t.same(instance.faults, []);
});

t.test('what did not authenticate makes no reply, unless its author is known', async (t) => {
  await using instance = await startInstance();
  alignMailOf(instance, 'remote.test');
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const forged = await receive(instance, { From: 'victim@peer.test', 'Reply-To': 'other@peer.test' });
  t.equal(await classOf(instance, () => api.messages.reply({ id: forged, body: 'Yes.' })), 'cold');
  await receive(instance, {});
  const elsewhere = await receive(instance, {}, 'carol@no-record.test');
  t.equal(await classOf(instance, () => api.messages.reply({ id: elsewhere, body: 'Yes.' })), 'reply');
  t.same(instance.faults, []);
});

t.test('strangers are throttled and paused as cold, whatever message is named', async (t) => {
  await using instance = await startInstance({
    plans: ['free', 'pro', 'unlimited']
      .map((plan) => `[${plan}]\nsends_per_day = 3\nvelocity_floor = 100\nduplicate_recipients = 100\n`)
      .join(''),
  });
  alignMailOf(instance, 'remote.test');
  const { ann } = instance.agents;
  const id = await receive(instance, {});
  const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann');
  const statuses = [];
  for (let n = 0; n < 5; n += 1) {
    const mail = { to: [`v${n}@remote.test`], subject: 'Offer', body: `Offer ${n}`, reply_to_message_id: id };
    const sent = await instance.request({ ...ann, key: String(key) }, 'POST', '/v1/messages', mail);
    statuses.push(((await sent.json()) as { reason?: string }).reason ?? 'sent');
  }
  t.same(statuses, ['sent', 'sent', 'sent', ...Array(2).fill('daily_send_quota_exhausted')]);
  t.same(instance.faults, []);
});
