import type { SendMailOptions } from 'nodemailer';
import t from 'tap';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { addKey } from '../../../src/resources/agents/keys/add-key.ts';
import { findAgent } from '../../../src/store/accounts/agents.ts';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { alignMailOf } from '../../harness/net/aligned.ts';
import { tlsByFiles } from '../../harness/net/certificate.ts';
import { listActs } from '../../harness/operator.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';
import { submissionPort, submit } from '../../harness/smtp/submission.ts';

const tls = tlsByFiles(t);
const submission = (more = '') => `[submission]\nlisten = ["127.0.0.1:0"]\n${more}\n`;

const refusal = (instance: TestInstance, agent: TestAgent, mail: SendMailOptions): Promise<string> =>
  submit(instance, agent, mail).then(
    () => 'taken',
    (error: { response?: string }) => error.response ?? String(error),
  );

const open = async (instance: TestInstance): Promise<RawSmtp> => {
  const client = await RawSmtp.connect({ port: submissionPort(instance), implicitTls: true });
  await client.reply();
  return client;
};
const plain = (user: string, password: string): string =>
  `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`;

t.test('a mail program sends in an agent’s name', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const { ann } = instance.agents;
  const mail = {
    to: 'Carol <carol@remote.test>',
    cc: 'dave@remote.test',
    bcc: 'eve@remote.test',
    messageId: '<mine@acme.agents.box.test>',
    attachments: [{ filename: 'a.txt', content: 'abc' }],
  };
  t.match(await submit(instance, ann, mail), /^250 2\.6\.0 Taken as /);
  const received = await instance.receiver.waitFor(3);
  t.same(received.flatMap(({ rcptTo }) => rcptTo).sort(), ['carol@remote.test', 'dave@remote.test', 'eve@remote.test']);
  for (const { raw } of received) {
    const text = raw.toString();
    t.notMatch(text, /^bcc:/im, 'Bcc is not in the header');
    t.match(text, /^Message-ID: <mine@acme\.agents\.box\.test>\r$/m);
    t.equal(text.match(/^DKIM-Signature:/gm)?.length, 2);
  }
  const stored = await instance.inStore(({ read }) =>
    read.selectFrom('messages').selectAll().executeTakeFirstOrThrow(),
  );
  t.match(stored, {
    direction: 'out',
    subject: 'Hello',
    rfc_message_id: '<mine@acme.agents.box.test>',
    send_class: 'cold',
  });
  t.match(stored.attachments, /a\.txt/);
  t.match((await listActs(instance))[0], { action: 'message.send', via: 'submission', detail: { by_key: String } });
  t.match(await submit(instance, ann, { to: 'carol@remote.test' }, 'LOGIN'), /^250/);
  t.same(instance.faults, []);
});

t.test('weak TLS is for port 25 alone', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const port = submissionPort(instance);
  for (const weak of [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
  ] as const) {
    await t.rejects(RawSmtp.connect({ port, implicitTls: true, tls: weak }));
  }
  t.same(instance.faults, []);
});

t.test('Date and Message-ID are put in where they are missing', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const { ann } = instance.agents;
  await using client = await open(instance);
  t.match(await client.command('EHLO client.test'), /^250[ -]AUTH PLAIN LOGIN$/m);
  t.match(await client.command(plain(ann.address, ann.key)), /^235 2\.7\.0/);
  await client.command(`MAIL FROM:<${ann.address}>`);
  await client.command('RCPT TO:<carol@remote.test>');
  await client.command('DATA');
  t.match(await client.command(`From: ${ann.address}\r\nSubject: Bare\r\n\r\nHi.\r\n.`), /^250/);
  const [message] = await instance.receiver.waitFor(1);
  t.match(message?.raw.toString(), /^Date: .*\+0000\r$/m);
  t.match(message?.raw.toString(), /^Message-ID: <.*@acme\.agents\.box\.test>\r$/m);

  await client.command(`MAIL FROM:<${ann.address}>`);
  await client.command('RCPT TO:<carol@remote.test>');
  await client.command('DATA');
  const unread = `From: ${ann.address}\r\nSubject: Unread\r\nDate: 27.11.2026 10:00\r\nMessage-ID:\r\n\r\nHi.\r\n.`;
  t.match(await client.command(unread), /^250/);
  const text = (await instance.receiver.waitFor(2))[1]?.raw.toString() ?? '';
  for (const name of ['Date', 'Message-ID'])
    t.equal(text.match(new RegExp(`^${name}:`, 'gm'))?.length, 1, `${name} is replaced`);
});

t.test('the header says who sends it, in one way, and shows nobody else’s', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const { ann } = instance.agents;
  await using client = await open(instance);
  await client.command('EHLO client.test');
  await client.command(plain(ann.address, ann.key));
  const send = async (header: string): Promise<string> => {
    await client.command(`MAIL FROM:<${ann.address}>`);
    await client.command('RCPT TO:<carol@remote.test>');
    await client.command('DATA');
    return client.command(`${header}\r\n\r\nHi.\r\n.`);
  };
  const from = `From: ${ann.address}`;
  const flood = '\r\nX: y'.repeat(3000);
  t.match(await send(`${from}${flood}\r\nFrom: ceo@victim.test`), /^554 5\.6\.0/, 'a second From beyond the limit');
  t.match(await send(`${from}\r\nFrom: ceo@victim.test`), /^550 5\.7\.1/);
  t.match(await send(`${from}, ceo@[192.0.2.1]`), /^550 5\.7\.1/);
  for (const field of ['Sender: ceo@victim.test', 'Resent-From: ceo@victim.test', 'Resent-Sender: ceo@victim.test']) {
    t.match(await send(`${from}\r\n${field}`), /^550 5\.7\.1/, field);
  }
  for (const field of ['Reply-To: nobody', 'Subject: a\r\nSubject: b', 'Reply-To: a@b.test\r\nReply-To: c@b.test']) {
    t.match(await send(`${from}\r\n${field}`), /^550 5\.6\.0/, field);
  }
  const taken = [
    `Sender: "ann"@${ann.address.split('@')[1]}`,
    'Reply-To: desk@acme.test',
    'Resent-Bcc: eve@remote.test',
    'Bcc: eve@remote.test',
    'Authentication-Results: mx.box.test; dkim=pass header.d=bank.test',
    'Authentication-Results: other.test; dkim=pass header.d=bank.test',
    'DKIM-Signature: v=1; a=rsa-sha256; d=bank.test; s=x; h=from; bh=YWJj; b=YWJj',
  ];
  t.match(await send([from, ...taken].join('\r\n')), /^250/);
  const [received] = await instance.receiver.waitFor(1);
  const text = received?.raw.toString() ?? '';
  t.match(text, /^Reply-To: desk@acme\.test\r$/m);
  t.notMatch(text, /bcc:|eve@|Authentication-Results|bank\.test/i);
  t.equal(instance.receiver.messages.length, 1);
  t.same(instance.faults, []);
});

t.test('an answer to a message of the mailbox is a reply', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  alignMailOf(instance, 'remote.test');
  const { ann } = instance.agents;
  await sendMail(instance.smtpPort, { to: [ann.address], headers: { 'Message-ID': '<question@remote.test>' } });
  await submit(instance, ann, {
    to: 'carol@remote.test',
    subject: 'Re: A question',
    inReplyTo: '<question@remote.test>',
  });
  const rows = await instance.inStore(({ read }) =>
    read.selectFrom('messages').select(['direction', 'thread_id', 'send_class']).orderBy('created_at').execute(),
  );
  t.match(rows, [{ direction: 'in' }, { direction: 'out', send_class: 'reply' }]);
  t.same(rows[0]?.thread_id, rows[1]?.thread_id);
});

t.test('who may send as whom', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const { ann, bob } = instance.agents;
  const to = 'carol@remote.test';
  t.match(await refusal(instance, ann, { to, envelope: { from: bob.address, to } }), /^550 5\.7\.1/);
  t.match(await refusal(instance, ann, { to, envelope: { from: '', to } }), /^550 5\.7\.1/);
  t.match(await refusal(instance, ann, { to, from: bob.address, envelope: { from: ann.address, to } }), /^550 5\.7\.1/);
  t.match(
    await refusal(instance, ann, { to, from: [ann.address, bob.address], envelope: { from: ann.address, to } }),
    /^550 5\.7\.1/,
  );
  t.match(await refusal(instance, { ...ann, key: bob.key }, { to }), /^535 5\.7\.8/, 'another agent’s key');
  const reader = await instance.inStore(async (store) => {
    const clock = { now: Date.now };
    const newId = createIdSource(clock, (size) => crypto.getRandomValues(new Uint8Array(size)));
    const agent = await findAgent(store.read, ann.address);
    if (!agent) throw new Error('No ann.');
    const wanted = {
      agentId: agent.id,
      name: 'r',
      scopes: ['mail:read' as const],
      reach: 'own' as const,
      expiresAt: null,
    };
    return store.write((tx) => addKey({ newId, clock }, tx, wanted));
  });
  t.match(await refusal(instance, { ...ann, key: reader.key }, { to }), /^535 5\.7\.1/, 'a key without mail:send');
  await using client = await open(instance);
  await client.command('EHLO client.test');
  t.match(await client.command(`MAIL FROM:<${ann.address}>`), /^530 5\.7\.0/);
  const asBob = Buffer.from(`${bob.address}\0${ann.address}\0${ann.key}`).toString('base64');
  t.match(await client.command(`AUTH PLAIN ${asBob}`), /^535 5\.7\.8/, 'in the name of another');
  for (const user of [ann.address, '']) {
    await using own = await open(instance);
    await own.command('EHLO client.test');
    const asAnn = Buffer.from(`${ann.address}\0${user}\0${ann.key}`).toString('base64');
    t.match(await own.command(`AUTH PLAIN ${asAnn}`), /^235 /, 'in the own name, which some clients give alone');
  }
  t.match(await client.command('AUTH CRAM-MD5'), /^504 5\.5\.4/);
  t.match(await client.command('AUTH PLAIN !'), /^501 5\.5\.2/);
  t.equal(instance.receiver.messages.length, 0);
  t.same(instance.faults, []);
});

t.test('what the gate refuses is a reply', async (t) => {
  await using instance = await startInstance({ tls, toml: submission() });
  const { ann } = instance.agents;
  const many = Array.from({ length: 6 }, (_, at) => `c${at}@remote.test`);
  t.match(
    await refusal(instance, ann, { to: many }),
    /^550 5\.5\.3 A mail goes to at most 5 recipients.*too_many_recipients_max_5/,
  );
  const large = { filename: 'a.bin', content: Buffer.alloc(10_485_761) };
  t.match(
    await refusal(instance, ann, { to: 'carol@remote.test', attachments: [large] }),
    /^552 5\.3\.4 attachments_too_large/,
  );
  await instance.suppress('gone@remote.test');
  t.match(
    await refusal(instance, ann, { to: 'gone@remote.test' }),
    /^550 5\.7\.1 recipient_suppressed:gone@remote\.test/,
  );
  t.equal(instance.receiver.messages.length, 0);
});

t.test('a trusted network guesses as often as it wants, and is delayed all the same', async (t) => {
  await using instance = await startInstance({
    tls,
    toml: submission('failed_logins_per_minute = 1\nfailed_login_delay_seconds = 0.2'),
  });
  for (let guess = 0; guess < 3; guess += 1) {
    await using client = await open(instance);
    await client.command('EHLO client.test');
    const begin = performance.now();
    t.match(await client.command(plain(instance.agents.ann.address, 'no key')), /^535 5\.7\.8/);
    t.ok(performance.now() - begin >= 190, 'delayed');
  }
});

t.test('a key that was typed where the address belongs is in no log', async (t) => {
  await using instance = await startInstance({ tls, toml: submission('failed_login_delay_seconds = 0.1') });
  const { ann } = instance.agents;
  await using client = await open(instance);
  await client.command('EHLO client.test');
  for (const user of [ann.key, `${ann.key}@acme.agents.box.test`, ann.address]) {
    t.match(await client.command(plain(user, ann.address)), /^535 5\.7\.8/);
  }
  const told = instance.logged.filter(({ message }) => message === 'mail login_failed');
  t.match(told, [{ fields: { user: '' } }, { fields: { user: '' } }, { fields: { user: ann.address } }]);
  t.notMatch(JSON.stringify(instance.logged), ann.key);
});

t.test('guessing a key is delayed, then ends the connection', async (t) => {
  const slow = 'failed_logins_per_minute = 2\nfailed_login_delay_seconds = 0.2';
  await using instance = await startInstance({ tls, smtp: 'trusted = []', toml: submission(slow) });
  const { ann } = instance.agents;
  const guess = async () => {
    await using client = await open(instance);
    await client.command('EHLO client.test');
    const begin = performance.now();
    const reply = await client.command(plain(ann.address, `svc_${'x'.repeat(43)}`));
    return { reply: reply.slice(0, 9), ms: performance.now() - begin };
  };
  for (const { reply, ms } of [await guess(), await guess()]) {
    t.equal(reply, '535 5.7.8');
    t.ok(ms >= 190, 'delayed');
  }
  t.match(await guess(), { reply: '421 4.7.0' });
  t.match(
    await submit(instance, ann, { to: 'carol@remote.test' }),
    /^250/,
    'another client of the address, with its key',
  );
});

t.test('a stalled handshake is a connection like others', async (t) => {
  await using instance = await startInstance({
    tls,
    smtp: 'trusted = []',
    toml: `${submission()}[budget]\nsmtp_connections_per_network = 2\n[smtp.limits]\ncommand_seconds = 0.5\n`,
  });
  const stalled = await Promise.all([1, 2].map(() => RawSmtp.connect({ port: submissionPort(instance) })));
  await using third = await RawSmtp.connect({ port: submissionPort(instance) });
  t.equal(await third.rest(), '', 'closed at once');
  for (const client of stalled) t.equal(await client.rest(), '', 'ended in time');
  await using fourth = await open(instance);
  t.match(await fourth.command('EHLO client.test'), /^250/);
});
