import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { plainMail, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('mail from outside is stored, listed, read and found', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const raw = plainMail({
    headers: {
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary=b1',
      Subject: '=?utf-8?Q?Invoice_=E2=82=AC_42?=',
      'Authentication-Results': 'mx.box.test; dkim=pass header.d=forged.test',
    },
    text: `--b1
Content-Type: text/plain; charset=utf-8

Please find the invoice for the aardvark attached.
--b1
Content-Type: application/pdf; name="invoice.pdf"
Content-Disposition: attachment; filename="invoice.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQKJcOkw7zDtsOfCg==
--b1--`,
  });
  const reply = await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], raw });
  t.match(reply, /^250 2\./);

  const { messages } = await ann.messages.list({});
  t.equal(messages.length, 1);
  const [listed] = messages;
  t.match(listed, {
    direction: 'in',
    from: 'Carol <carol@remote.test>',
    subject: 'Invoice € 42',
    unread: true,
    archived: false,
    status: 'received',
    attachments: [{ filename: 'invoice.pdf', contentType: 'application/pdf', size: 19 }],
  });
  const id = listed?.id ?? '';

  const read = await ann.messages.get({ id });
  t.equal(read.unread, false, 'reading by id marks it read');
  t.match(read.text, /aardvark/);
  t.notOk(
    read.headers.some(({ value }) => value.includes('forged.test')),
    'a forged Authentication-Results of ours is gone',
  );
  t.ok(
    read.headers.some(
      ({ name, value }) => name.toLowerCase() === 'authentication-results' && value.startsWith('mx.box.test'),
    ),
  );
  t.ok(read.headers.some(({ name, value }) => name.toLowerCase() === 'received' && value.includes('by mx.box.test')));
  t.equal((await ann.messages.list({ unread_only: true })).messages.length, 0);

  const attachment = await ann.messages.attachment({ id, filename: 'invoice.pdf' });
  t.equal(attachment.contentType, 'application/pdf');
  t.equal(Buffer.from(attachment.content).toString('base64'), 'JVBERi0xLjQKJcOkw7zDtsOfCg==');

  const rawAgain = await ann.messages.raw({ id });
  t.ok(Buffer.from(rawAgain.content).toString().includes('JVBERi0xLjQKJcOkw7zDtsOfCg=='));

  const { hits } = await ann.search.search({ q: 'aardvark' });
  t.match(hits, [{ message_id: id, subject: 'Invoice € 42' }]);
  t.match(hits[0]?.excerpt, /\*\*aardvark\*\*/);
  t.equal(
    (await instance.client(instance.agents.bob).messages.list({})).messages.length,
    0,
    'another agent sees none of it',
  );
  await t.rejects(instance.client(instance.agents.bob).messages.get({ id }), {
    code: 'message_not_found',
    status: 404,
  });
  t.same(instance.faults, []);
});

t.test('each accepted recipient has a row, and its reply names each refusal', async (t) => {
  await using instance = await startInstance();
  await sendMail(instance.smtpPort, {
    to: [instance.agents.ann.address, instance.agents.bob.address, 'ann+news@acme.agents.box.test'],
  });
  t.equal((await instance.client(instance.agents.ann).messages.list({})).messages.length, 1, 'one mailbox, one copy');
  t.equal((await instance.client(instance.agents.bob).messages.list({})).messages.length, 1);
  t.match(await refusalOf(instance.smtpPort, { to: ['nobody@acme.agents.box.test'] }), /^550 5\.1\.1/);
  t.match(await refusalOf(instance.smtpPort, { to: ['someone@elsewhere.test'] }), /^550 5\.7\.1/);
});

t.test('what is refused at DATA', async (t) => {
  await using instance = await startInstance({ toml: '', runtime: {} });
  const to = [instance.agents.ann.address];
  instance.dns.zone.set('_dmarc.strict.test', 'TXT', ['v=DMARC1; p=reject']);
  instance.dns.zone.set('strict.test', 'TXT', ['v=spf1 -all']);
  const spoofed = plainMail({ headers: { From: 'ceo@strict.test' } });
  t.match(await refusalOf(instance.smtpPort, { from: 'ceo@strict.test', to, raw: spoofed }), /^550 5\.7\.26/);
  const twoAuthors = plainMail({ headers: { From: 'a@remote.test, b@remote.test' } });
  t.match(await refusalOf(instance.smtpPort, { to, raw: twoAuthors }), /^550 5\.7\.1/);
  const looped = `${'Received: from a by b; Mon, 16 Nov 2026 10:00:00 +0000\r\n'.repeat(51)}${plainMail({})}`;
  t.match(await refusalOf(instance.smtpPort, { to, raw: looped }), /^554 5\.4\.6/);
  t.equal((await instance.client(instance.agents.ann).messages.list({})).messages.length, 0);
});

t.test('the verdicts of SPF, DKIM and DMARC', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const to = [instance.agents.ann.address];
  const latest = async () => (await ann.messages.list({ limit: 1 })).messages[0];

  await sendMail(instance.smtpPort, { to });
  t.match(await latest(), {
    spam_verdict: 'UNKNOWN',
    authentication: { spf: 'none', dkim: 'none', dmarc: 'none', from_domain: 'remote.test' },
  });

  instance.dns.zone.set('good.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  instance.dns.zone.set('_dmarc.good.test', 'TXT', ['v=DMARC1; p=reject']);
  await sendMail(instance.smtpPort, { from: 'x@good.test', to, headers: { From: 'x@good.test' } });
  t.match(await latest(), { spam_verdict: 'PASS', authentication: { spf: 'pass', dmarc: 'pass' } });

  instance.dns.zone.set('quarantined.test', 'TXT', ['v=spf1 -all']);
  instance.dns.zone.set('_dmarc.quarantined.test', 'TXT', ['v=DMARC1; p=quarantine']);
  await sendMail(instance.smtpPort, { from: 'x@quarantined.test', to, headers: { From: 'x@quarantined.test' } });
  t.match(await latest(), { spam_verdict: 'FAIL', authentication: { spf: 'fail', dmarc: 'fail' } });
});

t.test('a person whose address has dots where none may be is heard, and answered', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const headers = { From: 'Hana <hana..m.@remote.test>' };
  t.match(await sendMail(instance.smtpPort, { from: 'hana..m.@remote.test', to: [ann.address], headers }), /^250 /);
  const client = instance.client(ann);
  const [message] = (await client.messages.list({})).messages;
  t.equal(message?.from, 'Hana <"hana..m."@remote.test>');
  const { messageId } = await client.messages.send({
    ...{ to: [message?.from ?? ''], reply_to_message_id: message?.id },
    ...{ subject: 'Re: A question', body: 'Hi' },
  });
  const { deliveries } = await client.messages.get({ id: messageId ?? '' });
  t.match(deliveries, [{ address: '"hana..m."@remote.test' }]);
});
