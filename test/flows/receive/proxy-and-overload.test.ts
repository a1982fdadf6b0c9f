import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { startHaproxy } from '../../harness/smtp/haproxy.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { plainMail, sendMail } from '../../harness/smtp/send-mail.ts';
import { playDialogue } from '../../harness/smtp/smtp-dialogue.ts';

const handIn = async (client: RawSmtp, to: string): Promise<void> => {
  for (const line of ['EHLO client.test', 'MAIL FROM:<carol@remote.test>', `RCPT TO:<${to}>`, 'DATA'])
    await client.command(line);
  client.write(`${plainMail({})}.\r\n`);
  t.match(await client.reply(), /^250/);
};

t.test('behind a load balancer the client is the one that it names', async (t) => {
  await using instance = await startInstance({
    smtp: 'proxies = ["127.0.0.1"]',
    toml: '[budget]\nsmtp_connections_per_network = 1\n[smtp.limits]\ncommand_seconds = 3\n',
  });
  const open = async (header: string, localAddress = '127.0.0.1') => {
    const client = await RawSmtp.connect({ port: instance.smtpPort, localAddress });
    client.write(header);
    return client;
  };
  const header = 'PROXY TCP4 192.0.2.7 127.0.0.1 4000 25\r\n';
  await using client = await open(header);
  t.match(await client.reply(), /^220/);
  await using second = await open(header);
  t.match(await second.reply(), /^421 4\.7\.0/, 'the client’s connections are counted, not the balancer’s');
  await using another = await open('PROXY TCP6 2001:db8::1 ::1 4000 25\r\n');
  t.match(await another.reply(), /^220/);
  await handIn(client, instance.agents.ann.address);
  t.match(instance.logged.find(({ message }) => message === 'mail in')?.fields, { ip: '192.0.2.7' });

  await using stranger = await open(header, '127.0.0.2');
  t.match(await stranger.reply(), /^554 5\.5\.0/, 'only a trusted proxy may set the address');
  await using silent = await open('');
  t.equal(await silent.rest(), '', 'a header that does not come is waited for as long as a command');
  await using wrong = await open('HELO client.test\r\n');
  t.notMatch(await wrong.rest(), /^220/m);
  t.same(instance.faults, []);
});

/** @param length as the header has it; left out, that of the body */
const headerOf2 = (command: number, kind: number, body: Buffer, length = body.length): Buffer => {
  const head = Buffer.from('\r\n\r\n\0\r\nQUIT\n0000', 'latin1');
  head.set([command, kind, length >> 8, length & 0xff], 12);
  return Buffer.concat([head, body]);
};
const PORTS = Buffer.from([15, 160, 0, 25]);
const BY_4 = Buffer.concat([Buffer.from([192, 0, 2, 7, 127, 0, 0, 1]), PORTS]);
const BY_6 = Buffer.concat([Buffer.from(`20010db8${'0'.repeat(23)}1${'0'.repeat(31)}1`, 'hex'), PORTS]);

t.test('a PROXY header of version 2', async (t) => {
  await using instance = await startInstance({
    smtp: 'proxies = ["127.0.0.1"]',
    toml: '[smtp.limits]\ncommand_seconds = 3\n',
  });
  const open = async (...chunks: Buffer[]) => {
    const client = await RawSmtp.connect({ port: instance.smtpPort });
    for (const chunk of chunks) client.write(chunk);
    return client;
  };
  /** The address that a mail's log line has. */
  const addressOf = async (client: RawSmtp): Promise<unknown> => {
    t.match(await client.reply(), /^220/);
    await handIn(client, instance.agents.ann.address);
    await client.command('QUIT');
    const logged = instance.logged.filter(({ message }) => message === 'mail in');
    return (logged.at(-1)?.fields as { ip?: string } | undefined)?.ip;
  };
  const extension = Buffer.from([0xe0, 0, 3, 1, 2, 3]);
  const named = [
    ['IPv4', [headerOf2(0x21, 0x11, BY_4)], '192.0.2.7'],
    ['IPv6', [headerOf2(0x21, 0x21, BY_6)], '2001:db8::1'],
    ['with an extension', [headerOf2(0x21, 0x11, Buffer.concat([BY_4, extension]))], '192.0.2.7'],
    ['octet by octet', [...headerOf2(0x21, 0x11, BY_4)].map((octet) => Buffer.from([octet])), '192.0.2.7'],
    ["the balancer's own connection", [headerOf2(0x20, 0, Buffer.alloc(0))], '127.0.0.1'],
    ['another family', [headerOf2(0x21, 0x31, Buffer.alloc(216))], '127.0.0.1'],
  ] as const;
  for (const [what, chunks, address] of named) {
    await using client = await open(...chunks);
    t.equal(await addressOf(client), address, what);
  }
  const refused = [
    ['too short for its addresses', headerOf2(0x21, 0x21, BY_4)],
    ['another version', headerOf2(0x31, 0x11, BY_4)],
    ['too long', headerOf2(0x21, 0x11, Buffer.alloc(5_000))],
    ['cut', headerOf2(0x21, 0x11, BY_4, BY_4.length + 1)],
    ['its signature alone', headerOf2(0x21, 0x11, BY_4).subarray(0, 12)],
  ] as const;
  const isRefused = async ([what, octets]: (typeof refused)[number]): Promise<void> => {
    await using client = await open(octets);
    t.equal(await client.rest(), '', what);
  };
  await Promise.all(refused.map(isRefused));
  await using balancer = await startHaproxy(instance.smtpPort);
  await using client = await RawSmtp.connect({ port: balancer.port, localAddress: '127.0.0.3' });
  t.equal(await addressOf(client), '127.0.0.3', 'as HAProxy writes it');
  t.same(instance.faults, []);
});

ofSqlite(t, "a database server's disk is its own")('a disk that is nearly full', async (t) => {
  await using instance = await startInstance({ smtp: `min_free_bytes = ${Number.MAX_SAFE_INTEGER}` });
  await playDialogue(
    `S: 220
C: EHLO client.test
S* 250
C: MAIL FROM:<carol@remote.test>
S: 452 4.3.1
C: NOOP
S: 250
C: QUIT
S: 221`,
    { port: instance.smtpPort },
  );
  t.same(instance.faults, []);
});

t.test('a graceful stop finishes the mail in progress and closes the rest', async (t) => {
  await using instance = await startInstance();
  await using idle = await RawSmtp.connect({ port: instance.smtpPort });
  await idle.reply();
  await using busy = await RawSmtp.connect({ port: instance.smtpPort });
  await busy.reply();
  await busy.command('EHLO client.test');
  await busy.command('MAIL FROM:<carol@remote.test>');
  await busy.command(`RCPT TO:<${instance.agents.ann.address}>`);
  t.match(await busy.command('DATA'), /^354/);
  const restarted = instance.restart();
  t.match(await idle.reply(), /^421 4\.3\.2/);
  busy.write(`${plainMail({})}.\r\n`);
  t.match(await busy.reply(), /^250 2\.6\.0/);
  t.match(await busy.command('NOOP'), /^421 4\.3\.2/);
  await restarted;
  t.equal((await instance.client(instance.agents.ann).messages.list({})).messages.length, 1);
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250/);
});
