import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { tlsByFiles } from '../../harness/net/certificate.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const send = async (instance: TestInstance, to: string, more: object = {}) => {
  const body = { to: [to], subject: 'Offer', body: 'Our offer.', ...more };
  const response = await instance.request(instance.agents.ann, 'POST', '/v1/messages', body);
  return (await response.json()) as { status: string; reason?: string; messageId?: string };
};

t.test('a quoted local part is the mailbox without the quotes', async (t) => {
  await using instance = await startInstance();
  const api = instance.client(instance.agents.ann);
  await instance.suppress('victim@remote.test');
  for (const to of ['victim@remote.test', '"victim"@remote.test', '"vic\\tim"@remote.test', '"VICTIM"@Remote.Test.']) {
    t.match(await send(instance, to), { status: 'rejected', reason: 'recipient_suppressed:victim@remote.test' }, to);
  }
  t.match(await send(instance, '"plain"@remote.test'), { status: 'sent' });
  const [sent] = await instance.receiver.waitFor(1);
  t.same(sent?.rcptTo, ['plain@remote.test']);

  // Ann knows whom she wrote to, and her rules hold, however an address is written.
  instance.dns.zone.set('remote.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  await api.identity.update({ filter_mode: 'whitelist' });
  const from = (From: string) => sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { From } });
  await from('"pl\\ain"@remote.test');
  await api.identity.createRule({ match: 'exact_email', value: '"carol"@remote.test', action: 'allow' });
  await from('carol@remote.test');
  await api.identity.createRule({ match: 'exact_email', value: 'plain@remote.test', action: 'block' });
  await from('"plain"@remote.test');
  const inbound = (await api.messages.list({})).messages.filter(({ direction }) => direction === 'in');
  t.same(
    inbound.map((message) => message.from),
    ['carol@remote.test', 'plain@remote.test'],
  );
  t.same(
    (await api.identity.get({})).rules.map(({ value }) => value),
    ['carol@remote.test', 'plain@remote.test'],
  );
  t.same(instance.faults, []);
});

t.test('who is said to have written is no acquaintance; who is shown to have, is', async (t) => {
  await using instance = await startInstance({
    plans: ['free', 'pro', 'unlimited']
      .map((name) => `[${name}]\nvelocity_floor = 100\nduplicate_recipients = 10\n`)
      .join(''),
  });
  const api = instance.client(instance.agents.ann);
  instance.dns.zone.set('evil.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const answer = async (domain: string): Promise<string[]> => {
    const outcomes: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const headers = { From: `victim${i}@${domain}`, Subject: `Question ${i}` };
      await sendMail(instance.smtpPort, { from: 'x@evil.test', to: [instance.agents.ann.address], headers });
      const [message] = (await api.messages.list({ limit: 1 })).messages;
      const body = { body: `The same words of ${domain.replace('.', '-')}.`, reply_to_message_id: message?.id };
      const { status, reason } = await send(instance, `victim${i}@${domain}`, body);
      outcomes.push(reason ?? status);
    }
    return outcomes;
  };
  const burst = 'duplicate_content_burst_detected';
  t.same(await answer('peer.test'), [...Array.from({ length: 10 }, () => 'sent'), burst, burst], 'unaligned: UNKNOWN');
  t.same(
    await answer('evil.test'),
    Array.from({ length: 12 }, () => 'sent'),
    'aligned',
  );
});

t.test('addresses of the host, of an agent in quotes, and behind a source route', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const kept = () =>
    instance.inStore(({ read }) =>
      read.selectFrom('messages').select(['subject', 'from_address']).orderBy('seq').execute(),
    );
  for (const to of ['postmaster@mx.box.test', 'Mailer-Daemon@MX.box.test', '"abuse"@mx.box.test']) {
    t.match(await sendMail(instance.smtpPort, { to: [to], headers: { Subject: to } }), /^250/, to);
  }
  t.match(await refusalOf(instance.smtpPort, { to: ['ann@mx.box.test'] }), /^550 5\.1\.1/);
  t.match(await refusalOf(instance.smtpPort, { to: ['mailer-daemon@acme.agents.box.test'] }), /^550 5\.1\.1/);
  t.equal((await kept()).length, 3, 'the box keeps them');

  await using client = await RawSmtp.connect({ port: instance.smtpPort });
  await client.reply();
  await client.command('EHLO client.test');
  const deliver = async (from: string, to: string) => {
    t.match(await client.command(`MAIL FROM:<${from}>`), /^250/, from);
    t.match(await client.command(`RCPT TO:<${to}>`), /^250/, to);
    await client.command('DATA');
    t.match(await client.command(`From: carol@remote.test\r\nSubject: ${to}\r\n\r\nHi.\r\n.`), /^250/, to);
  };
  await deliver('carol@remote.test', `"ann"@${ann.address.split('@')[1]}`);
  await deliver('carol@remote.test', `"a\\nn+tag"@${ann.address.split('@')[1]}`);
  await deliver('@a.test,@b.test:carol@remote.test', `@relay.test,@[192.0.2.1]:${ann.address}`);
  await deliver('@[IPv6:2001:db8::1]:carol@remote.test', `@[IPv6:2001:db8::2],@b.test:${ann.address}`);
  const { messages } = await instance.client(ann).messages.list({});
  t.equal(messages.length, 4);
  const raw = Buffer.from((await instance.client(ann).messages.raw({ id: messages[0]?.id ?? '' })).content).toString();
  t.match(raw, /^Return-Path: <carol@remote\.test>\r$/m, 'the route is left out');
  t.match(raw.replace(/\r\n[ \t]+/g, ' '), new RegExp(`^Received: from client\\.test .* for <${ann.address}>;`, 'm'));
  t.same(instance.faults, []);
});

t.test('Received says how a mail came', async (t) => {
  await using instance = await startInstance({
    tls: tlsByFiles(t),
  });
  const { ann } = instance.agents;
  const deliver = async (client: RawSmtp, from: string, parameters = ''): Promise<void> => {
    await client.command('EHLO client.test');
    t.match(await client.command(`MAIL FROM:<${Buffer.from(from).toString('latin1')}>${parameters}`), /^250/);
    await client.command(`RCPT TO:<${ann.address}>`);
    await client.command('DATA');
    const bytes = Buffer.from(`From: ${from}\r\nSubject: Hi\r\n\r\nHi.\r\n.`).toString('latin1');
    t.match(await client.command(bytes), /^250/);
  };
  await using clear = await RawSmtp.connect({ port: instance.smtpPort });
  await clear.reply();
  await deliver(clear, 'carol@remote.test');
  await deliver(clear, 'jörg@remote.test', ' SMTPUTF8');
  t.match(await clear.command('STARTTLS'), /^220/);
  await clear.startTls();
  await deliver(clear, 'carol@remote.test');
  await deliver(clear, 'jörg@remote.test', ' SMTPUTF8');
  const received = await eventually(async () => {
    const rows = await instance.inStore(({ read }) =>
      read.selectFrom('raw_messages').select('mime').orderBy('id').execute(),
    );
    return rows.length === 4 && rows;
  });
  const { zstdDecompressSync } = await import('node:zlib');
  const fields = received.map(({ mime }) => {
    const text = zstdDecompressSync(mime)
      .toString()
      .replace(/\r\n[ \t]+/g, ' ');
    return /^Received: from \S+ \(\S+\) (.*) id \S+ for /m.exec(text)?.[1];
  });
  t.match(fields, [
    /^by mx\.box\.test with ESMTP$/,
    /^by mx\.box\.test with UTF8SMTP$/,
    /^\(using TLSv1\.3 with cipher TLS_AES_\w+\) by mx\.box\.test with ESMTPS$/,
    /^\(using TLSv1\.3 with cipher TLS_AES_\w+\) by mx\.box\.test with UTF8SMTPS$/,
  ]);
  t.same(instance.faults, []);
});
