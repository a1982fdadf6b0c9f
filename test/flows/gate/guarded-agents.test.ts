import t from 'tap';
import type { PendingId } from '../../../src/kernel/ids.ts';
import { findAgent, updateAgent } from '../../../src/store/accounts/agents.ts';
import { startBox, type TestBox } from '../../harness/box.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const CEO = 'CEO <ceo@bank.test>';

/** A box whose Ann is guarded. bank.test asks for nothing to be refused; evil.test and friend.test send from here. */
const startGuarded = async (): Promise<TestBox> => {
  const box = await startBox();
  const { zone } = box.dns;
  zone.set('bank.test', 'TXT', ['v=spf1 -all']);
  zone.set('_dmarc.bank.test', 'TXT', ['v=DMARC1; p=none']);
  for (const domain of ['evil.test', 'friend.test']) {
    zone.set(domain, 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
    zone.set(`_dmarc.${domain}`, 'TXT', ['v=DMARC1; p=none']);
    zone.set(domain, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  }
  await box.inStore(async (store) => {
    const found = await findAgent(store.read, 'ann');
    if (found) await store.write((tx) => updateAgent(tx, found.id, { guard: true }));
  });
  return box;
};

/** @returns the id of Ann's copy */
const mailFrom = async (box: TestBox, from: string, headers: Record<string, string> = {}): Promise<string> => {
  const all = { From: from, ...headers };
  const sender = /<?([^\s<>]+)>?$/.exec(from)?.[1] ?? from;
  const envelope = headers['X-Envelope'] ?? sender;
  await sendMail(box.smtpPort, { from: envelope, to: [box.agents.ann.address], raw: plainMail({ headers: all }) });
  const { messages } = await box.client(box.agents.ann).messages.list({ limit: 1 });
  return messages[0]?.id ?? '';
};

const forged = { 'X-Envelope': 'x@evil.test' };

const send = async (box: TestBox, to: string, parent?: string) => {
  const body = { to: [to], subject: 'Report', body: 'Here.', ...(parent && { reply_to_message_id: parent }) };
  const response = await box.request(box.agents.ann, 'POST', '/v1/messages', body);
  return (await response.json()) as { status: string; pendingId?: PendingId };
};
const whyHeld = async (box: TestBox) =>
  (await box.client(box.agents.ann).pending.listPending({ limit: 1 })).pending[0]?.reason;

t.test('no second mail lifts the doubt about a first', async (t) => {
  await using box = await startGuarded();
  const spoof = await mailFrom(box, CEO, { ...forged, 'Message-ID': '<spoof@evil.test>', Subject: 'Report' });
  t.match(await send(box, 'x@evil.test', spoof), { status: 'held' });
  t.equal(await whyHeld(box), 'thread_failed_authentication');
  const second = await mailFrom(box, 'x@evil.test', { Subject: 'Re: Report', 'In-Reply-To': '<spoof@evil.test>' });
  const { messages } = await box.client(box.agents.ann).messages.list({});
  t.equal(messages[0]?.thread_id, messages[1]?.thread_id, 'it stands in the same thread');
  t.match(messages[0], { authentication: { dmarc: 'pass' } });
  t.match(await send(box, 'x@evil.test', spoof), { status: 'held' });
  t.match(await send(box, 'x@evil.test', second), { status: 'held' }, 'nor where that one is answered');
  const replyAll = await box.request(box.agents.ann, 'POST', `/v1/messages/${second}/reply-all`, { body: 'Here.' });
  t.equal(replyAll.status, 202);
  t.same(box.faults, []);
});

t.test('what counts as doubtful', async (t) => {
  await using box = await startGuarded();
  const { zone } = box.dns;
  zone.set('no-record.test', 'TXT', ['v=spf1 -all']);
  zone.fail('_dmarc.silent.test', 'SERVFAIL');
  // The box's own domains, as their owner may not yet have published them.
  for (const name of ['acme.agents.box.test', 'agents.box.test']) {
    zone.set(name, 'TXT', []);
    zone.set(`_dmarc.${name}`, 'TXT', []);
  }
  zone.set('proved.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const doubtful: Record<string, string> = {
    'DMARC fails': await mailFrom(box, 'ceo@bank.test', forged),
    'SPF fails and there is no record': await mailFrom(box, 'x@no-record.test'),
    'DMARC could not be asked': await mailFrom(box, 'x@silent.test', forged),
    'nothing is proved, and nothing fails': await mailFrom(box, 'x@unknown.test'),
    'SPF passes for another domain': await mailFrom(box, 'nn@plain.test', forged),
    'a colleague is written as from outside': await mailFrom(box, box.agents.bob.address, forged),
  };
  for (const [what, id] of Object.entries(doubtful)) {
    t.match(await send(box, 'someone@remote.test', id), { status: 'held' }, what);
  }
  const fine: Record<string, string> = {
    'DMARC passes': await mailFrom(box, 'x@friend.test'),
    'SPF passes, and there is no record': await mailFrom(box, 'x@proved.test'),
  };
  for (const [what, id] of Object.entries(fine)) {
    t.match(await send(box, 'someone@remote.test', id), { status: 'sent' }, what);
  }
});

t.test('a forged mail is obeyed in no new thread either', async (t) => {
  await using box = await startGuarded();
  await mailFrom(box, CEO, { ...forged, 'Reply-To': 'Boss <drop@evil.test>' });
  for (const to of ['ceo@bank.test', '"CEO"@bank.test', 'drop@evil.test']) {
    t.match(await send(box, to), { status: 'held' }, to);
    t.equal(await whyHeld(box), 'recipient_failed_authentication');
  }
  t.match(await send(box, 'someone@friend.test'), { status: 'sent' }, 'others are written to');
});

t.test('a tag leads to the same mailbox, and past no guard', async (t) => {
  await using box = await startGuarded();
  await mailFrom(box, CEO, { ...forged, 'Reply-To': 'drop+in@evil.test' });
  for (const to of ['ceo+q@bank.test', 'drop@evil.test', 'drop+out@evil.test']) {
    t.match(await send(box, to), { status: 'held' }, to);
    t.equal(await whyHeld(box), 'recipient_failed_authentication');
  }
});

t.test('mail between agents of the box is never in doubt', async (t) => {
  await using box = await startGuarded();
  const { ann, bob } = box.agents;
  await box.client(bob).messages.send({ to: [ann.address], subject: 'Plan', body: 'Here.' });
  const id = await eventually(async () => (await box.client(ann).messages.list({ limit: 1 })).messages[0]?.id);
  t.match(await send(box, bob.address, id), { status: 'sent' });
});

t.test('what a person let go settles the doubt, until there is another', async (t) => {
  await using box = await startGuarded();
  const first = await mailFrom(box, 'a@friend.test', { 'Message-ID': '<a@friend.test>', Subject: 'Plan' });
  t.match(await send(box, 'a@friend.test', first), { status: 'sent' });
  const forgery = { 'X-Envelope': 'x@no.test', Subject: 'Re: Plan', 'In-Reply-To': '<a@friend.test>' };
  const spoof = await mailFrom(box, 'a@friend.test', forgery);
  const held = await send(box, 'a@friend.test', first);
  t.match(held, { status: 'held' }, 'a forgery came into the thread');
  if (held.pendingId) await box.daemon.review.approve(held.pendingId, 'a person', null);
  await eventually(async () => box.receiver.messages.length === 3 || null);
  t.match(await send(box, 'a@friend.test', first), { status: 'sent' });
  t.match(await send(box, 'a@friend.test'), { status: 'sent' });
  t.match(await send(box, 'a@friend.test', spoof), { status: 'held' }, 'the forgery itself is never answered unseen');
  await mailFrom(box, 'a@friend.test', forgery);
  t.match(await send(box, 'a@friend.test', first), { status: 'held' });
  t.match(await send(box, 'a@friend.test'), { status: 'held' });
  t.same(box.faults, []);
});
