/** A send that names a message of the agent's own: whether it is a reply, for quotas, holds, events and usage alike. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { noonClock } from '../../harness/noon.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

interface Outcome {
  sendClass: unknown;
  /** What it took of the day's sends. */
  used: number;
  threadId: string | null;
}

const tellerOf = (instance: TestInstance) => {
  const api = instance.client(instance.agents.ann);
  const usedToday = async () => (await api.identity.get({})).usage.day.sent;
  return async (send: () => Promise<{ status: string; messageId?: string | undefined }>): Promise<Outcome> => {
    const before = await usedToday();
    const { messageId = '' } = await send();
    const event = (await instance.events()).find(
      ({ name, data }) => name === 'message.sent' && data.message_id === messageId,
    );
    return {
      sendClass: event?.data.send_class,
      used: Math.round(((await usedToday()) - before) * 10) / 10,
      threadId: (await api.messages.get({ id: messageId })).thread_id,
    };
  };
};

t.test('it is one only where all recipients are shown to have written into the thread', async (t) => {
  await using instance = await startInstance({ runtime: { clock: noonClock() } });
  instance.dns.zone.set('remote.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const { ann } = instance.agents;
  const api = instance.client(ann);
  const tell = tellerOf(instance);
  const to = ['carol@remote.test'];
  const { messageId: own = '' } = await api.messages.send({ to, subject: 'Offer', body: 'Our offer.' });
  const { thread_id: threadId, rfc_message_id: rfcId } = await api.messages.get({ id: own });
  const more = (recipients: string[], cc: string[] = []) =>
    api.messages.send({
      to: recipients,
      cc,
      subject: 'Re: Offer',
      body: crypto.randomUUID(),
      reply_to_message_id: own,
    });
  const cold = { sendClass: 'cold', used: 1, threadId };
  const reply = { sendClass: 'reply', used: 0.1, threadId };
  t.same(await tell(() => more(to)), cold, 'without a reply');
  t.same(await tell(() => more(['eve@remote.test'])), cold, 'nor from this recipient');
  t.same(await tell(() => api.messages.replyAll({ id: own, body: 'Again?' })), cold);
  t.same(await tell(() => api.messages.reply({ id: own, body: 'And again?' })), cold);
  t.same(await tell(() => api.messages.forward({ id: own, to: ['eve@remote.test'] })), cold);

  const answer = (From: string, from: string) =>
    sendMail(instance.smtpPort, {
      from,
      to: [ann.address],
      headers: { From, Subject: 'Re: Offer', 'In-Reply-To': rfcId ?? '' },
    });
  await answer('dave@other.test', 'x@elsewhere.test');
  t.same(await tell(() => more(['dave@other.test'])), cold, 'an unauthenticated author counts as none');
  await answer('Carol <CAROL@remote.test>', 'carol@remote.test');
  t.same(await tell(() => more(to)), reply);
  t.same(await tell(() => api.messages.replyAll({ id: own, body: 'Good.' })), reply);
  t.same(await tell(() => more(to, ['eve@remote.test'])), cold, 'one recipient without a message suffices');
  const received = (await api.messages.list({ direction: 'in', from: 'carol@remote.test' })).messages[0];
  t.same(await tell(() => api.messages.forward({ id: received?.id ?? '', to: ['eve@remote.test'] })), cold);
  t.same(await tell(() => api.messages.forward({ id: received?.id ?? '', to })), reply, 'to whom it came from');

  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const held = await more(['eve@remote.test']);
  const pendingId = held.pendingId as Parameters<typeof instance.daemon.heldDecisions.approve>[0];
  t.match((await api.pending.listPending({})).pending, [{ send_class: 'cold' }]);
  t.same(
    await tell(async () => {
      await instance.daemon.heldDecisions.approve(pendingId, 'owner', null, async () => null);
      const { message_id } = await api.pending.getPending({ id: pendingId });
      return { status: 'sent', messageId: message_id ?? '' };
    }),
    cold,
  );
  t.same(instance.faults, []);
});

t.test('first contacts do not count a tenth by it', async (t) => {
  const plan = 'sends_per_day = 5\nsends_per_month = 500\nvelocity_floor = 100\nduplicate_recipients = 100\n';
  await using instance = await startInstance({
    runtime: { clock: noonClock() },
    plans: ['free', 'pro', 'unlimited'].map((name) => `[${name}]\n${plan}`).join(''),
  });
  const api = instance.client(instance.agents.ann);
  const send = (n: number, reply_to_message_id?: string) =>
    api.messages.send({
      to: [`stranger${n}@remote.test`],
      subject: 'Offer',
      body: `Offer ${n}`,
      ...(reply_to_message_id !== undefined && { reply_to_message_id }),
    });
  const { messageId = '' } = await send(0);
  for (let n = 1; n < 5; n += 1) t.match(await send(n, messageId), { status: 'sent' });
  t.match(await send(5, messageId), { status: 'rejected', reason: 'daily_send_quota_exhausted' });
  t.match((await api.identity.get({})).usage, {
    day: { sent: 5, limit: 5, resets_at: /T00:00:00\.000Z$/ },
    month: { sent: 5, limit: 500, resets_at: /-01T00:00:00\.000Z$/ },
    sending_state: 'normal',
  });
});
