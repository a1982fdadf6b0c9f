import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { bouncedTypes, eventsNamed, suppressions } from '../../harness/smtp/bounce-mail.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const DAY = 86_400_000;

const noticeOf = async (t: Test, instance: TestInstance, id: string) => {
  const ann = instance.client(instance.agents.ann);
  const notice = await eventually(async () => (await ann.messages.list({ unread_only: true })).messages[0]);
  const message = await ann.messages.get({ id: notice.id });
  const sent = await ann.messages.get({ id });
  const raw = await (await instance.request(instance.agents.ann, 'GET', `/v1/messages/${notice.id}/raw`)).text();
  t.equal(message.thread_id, sent.thread_id);
  t.equal(message.in_reply_to, sent.rfc_message_id);
  t.match(message, {
    direction: 'in',
    from: /^Mail delivery <mailer-daemon@mx\.box\.test>$/,
    to: [instance.agents.ann.address],
    spam_verdict: 'PASS',
  });
  return { message, raw };
};

t.test('a DSN is filed in the thread of the message', async (t) => {
  await using instance = await startInstance({
    receiver: { onRcpt: () => ({ code: 550, text: '5.1.1 <gone@remote.test> Nobody – here' }) },
  });
  const ann = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: ['gone@remote.test'], subject: 'Grüße', body: 'Hi' });
  const { message, raw } = await noticeOf(t, instance, id);
  t.equal(message.subject, 'Undeliverable: Grüße');
  t.match(message.text, /gone@remote\.test[\s\S]*mx\.remote\.test said:[\s\S]*550 5\.1\.1/);
  t.match(raw, /^Return-Path: <>\r\n/);
  t.match(raw, /^Auto-Submitted: auto-replied\r$/m);
  t.match(raw, /^References: <[^>]+>\r$/m);
  t.match(raw, /^Content-Type: multipart\/report; report-type=delivery-status;/m);
  t.match(
    raw,
    /^Final-Recipient: rfc822; gone@remote\.test\r\nAction: failed\r\nStatus: 5\.1\.1\r\nRemote-MTA: dns; mx\.remote\.test\r$/m,
  );
  t.match(raw, /^Diagnostic-Code: smtp; 550[- ]5\.1\.1 <gone@remote\.test> Nobody/m);
  t.match(raw, /^Content-Type: text\/rfc822-headers\r\n\r\n[\s\S]*^Message-ID: /m, 'with the header of the original');
  t.notMatch(raw, /^Hi\r$/m, 'but not its body');
  const received = await eventsNamed(instance, 'message.received');
  t.match(received, [{ data: { message_id: message.id, mailbox: instance.agents.ann.address } }]);
  t.match(await bouncedTypes(instance), ['permanent']);
  const cold = await instance.inStore((store) => store.read.selectFrom('heard_from').selectAll().execute());
  t.same(cold, [], 'a machine is no acquaintance');
  t.same(instance.faults, []);
});

t.test('of a large mail, too, only the header comes back', async (t) => {
  await using instance = await startInstance({ receiver: { onRcpt: () => ({ code: 552, text: '5.3.4 Too large' }) } });
  const content = randomBytes(3_000_000).toString('base64');
  const { messageId: id = '' } = await instance.client(instance.agents.ann).messages.send({
    to: ['gone@remote.test'],
    subject: 'Large',
    body: 'Hi',
    attachments: [{ filename: 'x.bin', content_type: 'application/octet-stream', content_base64: content }],
  });
  const { raw } = await noticeOf(t, instance, id);
  t.match(raw, /^Content-Type: text\/rfc822-headers\r\n\r\n[\s\S]*^Subject: Large\r$/m);
  t.ok(raw.length < 5_000, `${raw.length} octets`);
  t.same(await bouncedTypes(instance), ['permanent']);
});

t.test('expiry after five days has a DSN too, and no bounce is ever sent out', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({
    runtime: { clock },
    receiver: { onRcpt: () => ({ code: 451, text: '4.3.2 Not now' }) },
  });
  const ann = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: ['late@remote.test'], subject: 'Hi', body: 'Hi' });
  await eventually(async () => (await ann.messages.get({ id })).deliveries[0]?.status === 'deferred');
  clock.at += 5 * DAY + 1;
  instance.daemon.outbound.wake();
  const { raw } = await noticeOf(t, instance, id);
  t.match(raw, /^Status: 4\.3\.2\r$/m);
  t.same(await bouncedTypes(instance), ['expired']);
  t.match(await suppressions(instance), [{ bounce_type: 'expired', until: String }]);

  // No DSN for refused or dropped mail, nor to a null sender.
  await refusalOf(instance.smtpPort, { from: '', to: ['nobody@acme.agents.box.test'] });
  await refusalOf(instance.smtpPort, { to: ['nobody@acme.agents.box.test'] });
  await sendMail(instance.smtpPort, {
    from: '',
    to: [instance.agents.ann.address],
    headers: { 'Auto-Submitted': 'auto-replied' },
  });
  const queued = await instance.inStore((store) => store.read.selectFrom('deliveries').select('address').execute());
  t.same(queued, [{ address: 'late@remote.test' }], 'the queue never had anything else');
  t.same(instance.receiver.messages, []);
});

t.test("a bounce of the instance's own notices has no DSN", async (t) => {
  await using instance = await startInstance({ receiver: { onRcpt: () => ({ code: 550, text: '5.1.1 gone' }) } });
  await sendMail(instance.smtpPort, { to: ['postmaster@acme.agents.box.test'] });
  await eventually(async () => (await eventsNamed(instance, 'message.bounced')).length === 1);
  const stored = await instance.inStore((store) =>
    store.read.selectFrom('messages').select(['direction', 'subject']).orderBy('seq').execute(),
  );
  t.match(stored, [
    { direction: 'in', subject: 'A question' },
    { direction: 'out', subject: /^Mail to postmaster/ },
  ]);
  t.equal(stored.length, 2);
});
