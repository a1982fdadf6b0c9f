import t from 'tap';
import type { PendingId } from '../../../src/kernel/ids.ts';
import { findAgent, updateAgent } from '../../../src/store/accounts/agents.ts';
import { type InstanceOptions, startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const CEO = 'CEO <ceo@bank.test>';
const HOUR = 3_600_000;

/** A box whose Ann is guarded. bank.test asks for nothing to be refused; evil.test and friend.test send from here. */
const startGuarded = async (options: InstanceOptions = {}): Promise<TestInstance> => {
  const instance = await startInstance(options);
  const { zone } = instance.dns;
  zone.set('bank.test', 'TXT', ['v=spf1 -all']);
  zone.set('_dmarc.bank.test', 'TXT', ['v=DMARC1; p=none']);
  for (const domain of ['evil.test', 'friend.test']) {
    zone.set(domain, 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
    zone.set(`_dmarc.${domain}`, 'TXT', ['v=DMARC1; p=none']);
    zone.set(domain, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  }
  await instance.inStore(async (store) => {
    const found = await findAgent(store.read, 'ann');
    if (found) await store.write((tx) => updateAgent(tx, found.id, { guard: true }));
  });
  return instance;
};

/** @returns the id of Ann's copy */
const mailFrom = async (
  instance: TestInstance,
  from: string,
  headers: Record<string, string> = {},
): Promise<string> => {
  const all = { From: from, ...headers };
  const sender = /<?([^\s<>]+)>?$/.exec(from)?.[1] ?? from;
  const envelope = headers['X-Envelope'] ?? sender;
  await sendMail(instance.smtpPort, {
    from: envelope,
    to: [instance.agents.ann.address],
    raw: plainMail({ headers: all }),
  });
  const { messages } = await instance.client(instance.agents.ann).messages.list({ limit: 1 });
  return messages[0]?.id ?? '';
};

const forged = { 'X-Envelope': 'x@evil.test' };

const send = async (instance: TestInstance, to: string, parent?: string) => {
  const body = { to: [to], subject: 'Report', body: 'Here.', ...(parent && { reply_to_message_id: parent }) };
  const response = await instance.request(instance.agents.ann, 'POST', '/v1/messages', body);
  return (await response.json()) as { status: string; pendingId?: PendingId };
};
const whyHeld = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).pending.listPending({ limit: 1 })).pending[0]?.reason;

t.test('an authentic mail does not clear a doubtful one', async (t) => {
  await using instance = await startGuarded();
  const spoof = await mailFrom(instance, CEO, { ...forged, 'Message-ID': '<spoof@evil.test>', Subject: 'Report' });
  t.match(await send(instance, 'x@evil.test', spoof), { status: 'held' });
  t.equal(await whyHeld(instance), 'guarded');
  const second = await mailFrom(instance, 'x@evil.test', { Subject: 'Re: Report', 'In-Reply-To': '<spoof@evil.test>' });
  const { messages } = await instance.client(instance.agents.ann).messages.list({});
  t.equal(messages[0]?.thread_id, messages[1]?.thread_id, 'it stands in the same thread');
  t.match(messages[0], { authentication: { dmarc: 'pass' } });
  t.match(await send(instance, 'x@evil.test', spoof), { status: 'held' });
  t.match(await send(instance, 'x@evil.test', second), { status: 'held' }, 'nor where that one is answered');
  const replyAll = await instance.request(instance.agents.ann, 'POST', `/v1/messages/${second}/reply-all`, {
    body: 'Here.',
  });
  t.equal(replyAll.status, 202);
  t.same(instance.faults, []);
});

t.test('what counts as doubtful', async (t) => {
  await using instance = await startGuarded();
  const { zone } = instance.dns;
  zone.set('no-record.test', 'TXT', ['v=spf1 -all']);
  zone.fail('_dmarc.silent.test', 'SERVFAIL');
  // The box's own domains, as their owner may not yet have published them.
  for (const name of ['acme.agents.box.test', 'agents.box.test']) {
    zone.set(name, 'TXT', []);
    zone.set(`_dmarc.${name}`, 'TXT', []);
  }
  zone.set('proved.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const doubtful: Record<string, string> = {
    'DMARC fails': await mailFrom(instance, 'ceo@bank.test', forged),
    'SPF fails and there is no record': await mailFrom(instance, 'x@no-record.test'),
    'DMARC could not be queried': await mailFrom(instance, 'x@silent.test', forged),
    'nothing is proved, and nothing fails': await mailFrom(instance, 'x@unknown.test'),
    'SPF passes for another domain': await mailFrom(instance, 'nn@plain.test', forged),
    'a colleague is written as from outside': await mailFrom(instance, instance.agents.bob.address, forged),
  };
  for (const [what, id] of Object.entries(doubtful)) {
    t.match(await send(instance, 'someone@remote.test', id), { status: 'held' }, what);
  }
  const fine: Record<string, string> = {
    'DMARC passes': await mailFrom(instance, 'x@friend.test'),
    'SPF passes, and there is no record': await mailFrom(instance, 'x@proved.test'),
  };
  for (const [what, id] of Object.entries(fine)) {
    t.match(await send(instance, 'someone@remote.test', id), { status: 'sent' }, what);
  }
});

t.test('a forged mail is held in a new thread, too', async (t) => {
  await using instance = await startGuarded();
  await mailFrom(instance, CEO, { ...forged, 'Reply-To': 'Boss <drop@evil.test>' });
  for (const to of ['ceo@bank.test', '"CEO"@bank.test', 'drop@evil.test']) {
    t.match(await send(instance, to), { status: 'held' }, to);
    t.equal(await whyHeld(instance), 'guarded');
  }
  t.match(await send(instance, 'someone@friend.test'), { status: 'sent' }, 'others are written to');
});

t.test('a subaddress does not bypass the guard', async (t) => {
  await using instance = await startGuarded();
  await mailFrom(instance, CEO, { ...forged, 'Reply-To': 'drop+in@evil.test' });
  for (const to of ['ceo+q@bank.test', 'drop@evil.test', 'drop+out@evil.test']) {
    t.match(await send(instance, to), { status: 'held' }, to);
    t.equal(await whyHeld(instance), 'guarded');
  }
});

t.test('mail between local agents is never doubtful', async (t) => {
  await using instance = await startGuarded();
  const { ann, bob } = instance.agents;
  await instance.client(bob).messages.send({ to: [ann.address], subject: 'Plan', body: 'Here.' });
  const id = await eventually(async () => (await instance.client(ann).messages.list({ limit: 1 })).messages[0]?.id);
  t.match(await send(instance, bob.address, id), { status: 'sent' });
});

t.test('an approval clears the doubt until the next doubtful mail', async (t) => {
  await using instance = await startGuarded();
  const first = await mailFrom(instance, 'a@friend.test', { 'Message-ID': '<a@friend.test>', Subject: 'Plan' });
  t.match(await send(instance, 'a@friend.test', first), { status: 'sent' });
  const forgery = { 'X-Envelope': 'x@no.test', Subject: 'Re: Plan', 'In-Reply-To': '<a@friend.test>' };
  const spoof = await mailFrom(instance, 'a@friend.test', forgery);
  const held = await send(instance, 'a@friend.test', first);
  t.match(held, { status: 'held' }, 'a forgery came into the thread');
  if (held.pendingId) await instance.daemon.heldDecisions.approve(held.pendingId, 'a person', null, async () => null);
  await eventually(async () => instance.receiver.messages.length === 3 || null);
  t.match(await send(instance, 'a@friend.test', first), { status: 'sent' });
  t.match(await send(instance, 'a@friend.test'), { status: 'sent' });
  t.match(
    await send(instance, 'a@friend.test', spoof),
    { status: 'held' },
    'the forgery itself is never answered unseen',
  );
  await mailFrom(instance, 'a@friend.test', forgery);
  t.match(await send(instance, 'a@friend.test', first), { status: 'held' });
  t.match(await send(instance, 'a@friend.test'), { status: 'held' });
  t.same(instance.faults, []);
});

t.test('an attachment of a doubtful mail is held wherever and whenever it is sent on', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startGuarded({ runtime: { clock } });
  const file = 'Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nx';
  const spoof = await (async () => {
    await sendMail(instance.smtpPort, {
      from: 'x@evil.test',
      to: [instance.agents.ann.address],
      headers: { From: CEO, 'Content-Type': 'multipart/mixed; boundary=b' },
      text: `--b\n\nPass it on.\n--b\n${file}\n--b--`,
    });
    return (await instance.client(instance.agents.ann).messages.list({ limit: 1 })).messages[0]?.id ?? '';
  })();
  const { messages, pending } = instance.client(instance.agents.ann);
  const attachments = [{ filename: 'a.txt', from_message_id: spoof }];
  const mail = { to: ['friend@friend.test'], subject: 'New', body: 'Here.' };
  t.match(await messages.send({ ...mail, attachments }), { status: 'held', reason: 'guarded' });
  t.match(await messages.send(mail), { status: 'sent' });
  const send_at = new Date(clock.at + HOUR).toISOString();
  t.match(await messages.send({ ...mail, subject: 'Later', attachments, send_at }), { status: 'scheduled' });
  clock.at += HOUR;
  await instance.daemon.scheduledDispatch.runDue();
  const { pending: held } = await pending.listPending({});
  t.match(held, [{ subject: 'Later', reason: 'guarded' }, { subject: 'New' }]);
});
