import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import t from 'tap';
import {
  type DeliveryReply,
  type MailToDeliver,
  openSession,
  type SessionDestination,
} from '../../../../src/net/smtp/smtp-client.ts';
import { addressFrom } from '../../../harness/address.ts';
import { freePort } from '../../../harness/net/free-port.ts';
import { startReceiver } from '../../../harness/smtp/mail-receiver.ts';

const raw = Buffer.from('From: a@sender.example\r\nSubject: Hello\r\n\r\n.A line with a dot\r\nThe end\r\n');
const to = (port: number): SessionDestination & MailToDeliver => ({
  tls: { kind: 'opportunistic' },
  host: { name: 'mx.recipient.example', address: '127.0.0.1' },
  port,
  localName: 'mx.sender.example',
  mailFrom: addressFrom('b-1@sender.example'),
  recipient: addressFrom('ann@recipient.example'),
  raw,
});

/** A session with one mail. */
const deliver = async (request: SessionDestination & MailToDeliver): Promise<DeliveryReply> => {
  const opened = await openSession(request);
  if (opened.kind === 'failed') return opened.reply;
  const { session } = opened;
  try {
    return await session.deliver(request);
  } finally {
    await session.quit();
  }
};
const requireTls = { tls: { kind: 'required', check: null } } as const;

/** A server that says what a test wants: each line of the client is answered by `answer`; null closes. */
const startScripted = async (
  greeting: string | null,
  answer: (line: string, socket: Socket) => string | null | undefined,
) => {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let buffered = '';
    if (greeting !== null) socket.write(greeting);
    socket.on('data', (chunk) => {
      const parts = (buffered + chunk.toString('latin1')).split('\r\n');
      buffered = parts.pop() ?? '';
      for (const line of parts) {
        lines.push(line);
        const said = answer(line, socket);
        if (said === null) socket.destroy();
        else if (said !== undefined && !socket.destroyed) socket.write(said);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    connections: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A well-behaved host but for the answers given by verb. */
const answers =
  (special: Record<string, string | null>, capabilities: string[] = []) =>
  (line: string): string | null | undefined => {
    const verb = line === '.' ? '.' : (line.split(' ')[0] ?? '');
    const said = special[verb];
    if (said !== undefined) return said;
    if (verb === 'EHLO') return ['mx.recipient.example', ...capabilities, 'HELP'].map(capabilityLine).join('');
    if (verb === 'DATA') return '354 Go on\r\n';
    return /^(HELO|MAIL|RCPT|QUIT|RSET)$/.test(verb) ? '250 OK\r\n' : verb === '.' ? '250 2.0.0 Queued\r\n' : undefined;
  };
const capabilityLine = (text: string): string => `250${text === 'HELP' ? ' ' : '-'}${text}\r\n`;

t.test('a message arrives as it is, and the reply is read', async (t) => {
  await using receiver = await startReceiver();
  const reply = await deliver(to(receiver.port));
  t.match(reply, { kind: 'accepted', code: 250, tls: null, response: /^250 / });
  const [message] = await receiver.waitFor(1);
  t.match(message, {
    mailFrom: 'b-1@sender.example',
    rcptTo: ['ann@recipient.example'],
    secure: false,
    helo: 'mx.sender.example',
  });
  t.equal(message?.raw.toString(), raw.toString());
});

t.test('the transcript has both sides and not the message', async (t) => {
  await using receiver = await startReceiver();
  const { transcript } = await deliver(to(receiver.port));
  t.match(transcript, /^\*: mx\.recipient\.example \[127\.0\.0\.1\]:\d+\nS: 220 /);
  t.match(transcript, /C: EHLO mx\.sender\.example\n(S: 250.*\n)+C: MAIL FROM:<b-1@sender\.example>/);
  t.match(transcript, new RegExp(`C: \\(${raw.length} bytes of message, and the final dot\\)\nS: 250 `));
  t.notMatch(transcript, /Hello|The end/);
});

t.test('the null sender, a large message of 8-bit bytes, a source address', async (t) => {
  await using receiver = await startReceiver();
  const large = Buffer.concat([raw, Buffer.from(`${'ä'.repeat(300)}\r\n`.repeat(2000))]);
  const reply = await deliver({ ...to(receiver.port), mailFrom: null, raw: large, localAddress: '127.0.0.1' });
  t.equal(reply.kind, 'accepted');
  t.match(reply.transcript, /MAIL FROM:<> BODY=8BITMIME/);
  const [message] = await receiver.waitFor(1);
  t.equal(message?.mailFrom, '');
  t.ok(message?.raw.equals(large));
});

t.test('TLS is used where it is offered, whatever the certificate, with the host name for SNI', async (t) => {
  await using receiver = await startReceiver({ tls: true });
  const reply = await deliver(to(receiver.port));
  t.match(reply, { kind: 'accepted', tls: { protocol: 'TLSv1.3' } });
  t.match((await receiver.waitFor(1))[0], { secure: true, servername: 'mx.recipient.example' });
  t.equal(receiver.connections(), 1);
});

t.test('where the handshake fails the message goes in the clear, once', async (t) => {
  await using host = await startScripted('220 hi\r\n', (line, socket) => {
    if (line !== 'STARTTLS') return answers({}, ['STARTTLS'])(line);
    socket.write('220 Go on\r\n');
    socket.once('data', () => socket.end('this is not TLS'));
    return undefined;
  });
  const reply = await deliver(to(host.port));
  t.match(reply, { kind: 'accepted', tls: null });
  t.equal(host.connections(), 2);
  t.match(reply.transcript, /^\*: mx\.recipient\.example .*, in the clear, for TLS failed: /);

  const strict = await deliver({ ...to(host.port), ...requireTls });
  t.match(strict, { kind: 'unreachable', phase: 'starttls' });
  t.equal(host.connections(), 3);
});

t.test('a host that refuses STARTTLS gets the message in the clear, unless TLS is required', async (t) => {
  await using host = await startScripted('220 hi\r\n', answers({ STARTTLS: '454 Not now\r\n' }, ['STARTTLS']));
  t.match(await deliver(to(host.port)), { kind: 'accepted', tls: null });
  t.equal(host.connections(), 1);
  t.match(await deliver({ ...to(host.port), ...requireTls }), {
    kind: 'unreachable',
    phase: 'starttls',
    reason: /454/,
  });
});

t.test('refusals of each command carry the host’s words', async (t) => {
  const cases: [Record<string, string>, { code: number; enhanced: string | null; response: string }][] = [
    [{ MAIL: '451 4.7.1 Greylisted\r\n' }, { code: 451, enhanced: '4.7.1', response: '451 4.7.1 Greylisted' }],
    [{ RCPT: '550 5.1.1 Unknown\r\n' }, { code: 550, enhanced: '5.1.1', response: '550 5.1.1 Unknown' }],
    [
      { RCPT: '550-5.7.1 Blocked,\r\n550 5.7.1 see example.com\r\n' },
      { code: 550, enhanced: '5.7.1', response: '550-5.7.1 Blocked,\n550 5.7.1 see example.com' },
    ],
    [{ DATA: '554 No\r\n' }, { code: 554, enhanced: null, response: '554 No' }],
    [{ '.': '552 5.2.2 Full\r\n' }, { code: 552, enhanced: '5.2.2', response: '552 5.2.2 Full' }],
    [
      { EHLO: '502 What\r\n', HELO: '550 4.1.1 Odd\r\n' },
      { code: 550, enhanced: null, response: '550 4.1.1 Odd' },
    ],
    [{ MAIL: '421 4.3.2 Closing\r\n' }, { code: 421, enhanced: '4.3.2', response: '421 4.3.2 Closing' }],
  ];
  for (const capabilities of [[], ['PIPELINING']]) {
    for (const [special, expected] of cases) {
      await using host = await startScripted('220 hi\r\n', answers(special, capabilities));
      const reply = await deliver(to(host.port));
      t.match(reply, { kind: 'refused', tls: null, ...expected }, `${JSON.stringify(special)} ${capabilities}`);
    }
  }
  await using closed = await startScripted('554 5.3.2 No mail here\r\n', () => undefined);
  t.match(await deliver(to(closed.port)), { kind: 'refused', code: 554, enhanced: '5.3.2' });
});

t.test('a reply of another class than the command’s takes nothing for delivered', async (t) => {
  for (const capabilities of [[], ['PIPELINING']]) {
    for (const [verb, said, phase] of [
      ['MAIL', '354 Go on', 'mail'],
      ['RCPT', '354 Go on', 'rcpt'],
      ['DATA', '250 OK', 'data'],
      ['.', '354 Go on', 'final'],
    ] as const) {
      await using host = await startScripted('220 hi\r\n', answers({ [verb]: `${said}\r\n` }, capabilities));
      t.match(await deliver(to(host.port)), { kind: 'unreachable', phase }, `${verb} ${capabilities}`);
    }
  }
  // One reply too many: each of the later ones answers the command before.
  await using host = await startScripted('220 hi\r\n', answers({ MAIL: '250 OK\r\n250 OK\r\n' }, ['PIPELINING']));
  t.match(await deliver(to(host.port)), { kind: 'unreachable', phase: 'data', reason: /out of place: 250 OK/ });
});

t.test('a refusal in the middle of the message is the outcome, though the host closes', async (t) => {
  await using host = await startScripted('220 hi\r\n', (line, socket) => {
    if (!line.startsWith('x')) return answers({})(line);
    if (socket.writableEnded) return undefined;
    socket.end('552 5.3.4 Too large\r\n');
    return undefined;
  });
  const large = Buffer.alloc(16 * 1024 * 1024, 'x'.repeat(62).concat('\r\n'));
  t.match(await deliver({ ...to(host.port), raw: large }), { kind: 'refused', code: 552, enhanced: '5.3.4' });
});

t.test('a refused recipient stays refused when the connection is lost after it', async (t) => {
  await using host = await startScripted(
    '220 hi\r\n',
    answers({ RCPT: '550 5.1.1 Unknown\r\n', DATA: null }, ['PIPELINING']),
  );
  t.match(await deliver(to(host.port)), { kind: 'refused', code: 550, enhanced: '5.1.1' });
});

t.test('EHLO refused, HELO taken', async (t) => {
  await using host = await startScripted('220 hi\r\n', answers({ EHLO: '500 What\r\n' }));
  t.match(await deliver(to(host.port)), { kind: 'accepted' });
});

t.test('a lost connection says at which step', async (t) => {
  const port = await freePort();
  t.match(await deliver(to(port)), { kind: 'unreachable', phase: 'connect', reason: /ECONNREFUSED/ });
  for (const [verb, phase] of [
    ['EHLO', 'ehlo'],
    ['MAIL', 'mail'],
    ['RCPT', 'rcpt'],
    ['DATA', 'data'],
    ['.', 'final'],
  ] as const) {
    await using host = await startScripted('220 hi\r\n', answers({ [verb]: null }));
    t.match(await deliver(to(host.port)), { kind: 'unreachable', phase }, verb);
  }
  await using silent = await startScripted('no SMTP\r\n', () => undefined);
  t.match(await deliver(to(silent.port)), { kind: 'unreachable', phase: 'greeting' });
});

t.test('each step has its own time-out', async (t) => {
  const silentAt = (verb: string) => (line: string) =>
    line === verb || line.startsWith(`${verb} `) ? undefined : answers({})(line);
  for (const [verb, phase, timeouts] of [
    ['EHLO', 'ehlo', { ehlo: 50 }],
    ['MAIL', 'mail', { mail: 50 }],
    ['RCPT', 'rcpt', { rcpt: 50 }],
    ['DATA', 'data', { dataCommand: 50 }],
    ['.', 'final', { final: 50 }],
  ] as const) {
    await using host = await startScripted('220 hi\r\n', silentAt(verb));
    const reply = await deliver({ ...to(host.port), timeouts });
    t.match(reply, { kind: 'unreachable', phase, reason: 'No answer within 0.05 s' }, verb);
  }
  await using mute = await startScripted(null, () => undefined);
  t.match(await deliver({ ...to(mute.port), timeouts: { greeting: 50 } }), { kind: 'unreachable', phase: 'greeting' });
});

t.test('a host that stops reading the message is given up', async (t) => {
  await using host = await startScripted('220 hi\r\n', (line, socket) => {
    if (line === 'DATA') setImmediate(() => socket.pause());
    return answers({})(line);
  });
  const endless = Buffer.alloc(64 * 1024 * 1024, 'x'.repeat(62).concat('\r\n'));
  const reply = await deliver({ ...to(host.port), raw: endless, timeouts: { dataBlock: 200 } });
  t.match(reply, { kind: 'unreachable', phase: 'data' });
  await using slow = await startScripted('220 hi\r\n', answers({}));
  const late = await deliver({ ...to(slow.port), timeouts: { message: -1 } });
  t.match(late, { kind: 'unreachable', phase: 'data', reason: /too slowly/ });
});

t.test('what the host has said it does not take is not sent', async (t) => {
  await using receiver = await startReceiver({ size: 50 });
  t.match(await deliver(to(receiver.port)), {
    kind: 'refused',
    code: 552,
    enhanced: '5.3.4',
    response: /takes messages of 50/,
  });
  await using host = await startScripted('220 hi\r\n', answers({}));
  const recipient = addressFrom('änn@recipient.example');
  t.match(await deliver({ ...to(host.port), recipient }), { kind: 'refused', code: 553, enhanced: '5.6.7' });
  t.notOk(host.lines.some((line) => line.startsWith('MAIL')));
  await using modern = await startScripted('220 hi\r\n', answers({}, ['SMTPUTF8']));
  t.equal((await deliver({ ...to(modern.port), recipient })).kind, 'accepted');
});

t.test('a transcript is bounded', async (t) => {
  const long = Array.from({ length: 500 }, (_, at) => `X-${at}-${'y'.repeat(400)}`);
  await using host = await startScripted('220 hi\r\n', answers({ RCPT: '550 5.1.1 Unknown\r\n' }, long.slice(0, 150)));
  const { transcript } = await deliver(to(host.port));
  t.ok(transcript.length <= 9000, `${transcript.length}`);
  t.match(transcript, /S: 550 5\.1\.1 Unknown/);
});
