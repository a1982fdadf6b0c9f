import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { SmtpSession } from '../../../../src/net/smtp/client-session.ts';
import { type MailToDeliver, openSession, type SessionDestination } from '../../../../src/net/smtp/smtp-client.ts';
import { addressFrom } from '../../../harness/address.ts';
import { selfSigned } from '../../../harness/net/certificate.ts';
import { startReceiver } from '../../../harness/smtp/mail-receiver.ts';
import { startScriptedHost } from '../../../harness/smtp/scripted-host.ts';

const mailTo = (recipient: string): MailToDeliver => ({
  mailFrom: addressFrom('b-1@sender.test'),
  recipient: addressFrom(recipient),
  raw: Buffer.from('Subject: Hello\r\n\r\nText\r\n'),
});
const targetAt = (port: number): SessionDestination => ({
  host: { name: 'mx.remote.test', address: '127.0.0.1' },
  port,
  localName: 'mx.sender.test',
  tls: { kind: 'opportunistic' },
});
const open = async (port: number): Promise<SmtpSession> => {
  const opened = await openSession(targetAt(port));
  if (opened.kind === 'failed') throw new Error(opened.reply.transcript);
  return opened.session;
};

t.test('a session goes on after a refusal, from a clean start', async (t) => {
  for (const extensions of [[], ['PIPELINING']]) {
    await using host = await startScriptedHost({
      extensions,
      at: (step, line) => (step === 'RCPT' && /gone@/.test(line) ? '550 5.1.1 No such user' : undefined),
    });
    const session = await open(host.port);
    t.match(await session.deliver(mailTo('first@remote.test')), { kind: 'accepted' });
    t.match(await session.deliver(mailTo('gone@remote.test')), { kind: 'refused', code: 550, enhanced: '5.1.1' });
    t.ok(session.isReusable);
    t.match(await session.deliver(mailTo('second@remote.test')), { kind: 'accepted' });
    t.match(await session.deliver(mailTo('third@remote.test')), { kind: 'accepted' });
    await session.quit();
    t.equal(host.connections(), 1);
    const taken = host.messages.filter((message) => message !== '');
    t.equal(taken.length, 3, 'a message ends as empty where its recipient was refused and DATA was not');
    const verbs = host.lines.map((line) => line.split(' ')[0]);
    t.equal(verbs.filter((verb) => verb === 'RSET').length, 1, 'after the refusal alone');
    t.equal(verbs[verbs.indexOf('RSET') + 1], 'MAIL');
  }
});

t.test('each mail of a session has a transcript of its own', async (t) => {
  await using host = await startScriptedHost();
  const session = await open(host.port);
  t.match((await session.deliver(mailTo('first@remote.test'))).transcript, /EHLO/);
  const { transcript } = await session.deliver(mailTo('second@remote.test'));
  t.match(transcript, /^\*: mx\.remote\.test \[127\.0\.0\.1\]:\d+, mail 2 of this session\nC: MAIL FROM/);
  t.notMatch(transcript, /first@|EHLO/);
  await session.quit();
});

const isOver = async (session: SmtpSession): Promise<boolean> => {
  for (let look = 0; look < 200 && session.isReusable; look += 1) await new Promise((go) => setTimeout(go, 5));
  return !session.isReusable;
};

t.test('a host that closes between mails', async (t) => {
  const { promise: toClose, resolve: close } = Promise.withResolvers<'close'>();
  await using host = await startScriptedHost({ at: (step) => (step === 'AFTER' ? toClose : undefined) });
  const session = await open(host.port);
  t.match(await session.deliver(mailTo('first@remote.test')), { kind: 'accepted' });
  t.ok(session.isReusable);
  close('close');
  t.ok(await isOver(session));
  t.match(await session.deliver(mailTo('second@remote.test')), { kind: 'unreachable', phase: 'mail' });
});

t.test('421 ends a session, and says so of the mail', async (t) => {
  await using host = await startScriptedHost({ at: (step) => (step === 'MAIL' ? '421 4.7.0 Too much' : undefined) });
  const session = await open(host.port);
  t.match(await session.deliver(mailTo('first@remote.test')), { kind: 'refused', code: 421 });
  t.notOk(session.isReusable);
});

t.test('a reply that nobody asked for ends a session', async (t) => {
  await using host = await startScriptedHost({
    at: (step) => (step === 'END' ? '250 2.0.0 OK\r\n421 4.3.2 Going down' : undefined),
  });
  const session = await open(host.port);
  t.match(await session.deliver(mailTo('first@remote.test')), { kind: 'accepted' });
  t.ok(await isOver(session));
  await session.quit();
});

t.test('a host that sends replies without an end is left', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { promise: left, resolve } = Promise.withResolvers<void>();
  server.once('connection', (socket) => {
    socket.once('close', () => resolve());
    socket.on('error', () => undefined).resume();
    socket.write('220 hi\r\n'.repeat(100_000));
  });
  const session = await open((server.address() as AddressInfo).port);
  await left;
  t.notOk(session.isReusable);
  server.close();
});

t.test('a host with an early version of TLS gets the mail by that, where nothing asks for more', async (t) => {
  const certificate = selfSigned();
  const early = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await using receiver = await startReceiver({ tls: { ...certificate, ...early } });
  for (const extraCa of [null, certificate.cert]) {
    const target = { ...targetAt(receiver.port), tls: { kind: 'opportunistic', extraCa } } as const;
    const opened = await openSession(target);
    if (opened.kind === 'failed') return t.fail(opened.reply.transcript);
    t.match(await opened.session.deliver(mailTo('ann@remote.test')), { kind: 'accepted', tls: { protocol: 'TLSv1' } });
    await opened.session.quit();
  }
  t.equal(receiver.connections(), 2);
  const strict = await openSession({ ...targetAt(receiver.port), tls: { kind: 'required', check: null } });
  t.match(strict, { kind: 'failed', reply: { kind: 'unreachable', phase: 'starttls' } });
});

t.test('a host without secure renegotiation is taken as well', async (t) => {
  /** A ServerHello of TLS 1.2 with no extension, and an alert: our client is heard to go on until it reads that. */
  const hello = Buffer.concat([Buffer.of(2, 0, 0, 38, 3, 3), Buffer.alloc(32, 7), Buffer.of(0, 0xc0, 0x2f, 0)]);
  const answer = Buffer.concat([Buffer.of(22, 3, 3, 0, hello.length), hello, Buffer.of(21, 3, 3, 0, 2, 2, 80)]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined).write('220 hi\r\n');
    socket.on('data', (said) => {
      if (/^EHLO/.test(String(said))) socket.write('250-early.test\r\n250 STARTTLS\r\n');
      else socket.write(/^STARTTLS/.test(String(said)) ? '220 Go on\r\n' : answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = await SmtpSession.open(targetAt(port));
  t.match(opened, { kind: 'failed', reply: { phase: 'starttls', reason: /alert internal error/ } });
  server.close();
});
