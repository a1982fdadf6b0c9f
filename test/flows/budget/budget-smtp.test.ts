import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const HEAD = 'From: carol@remote.test\r\nSubject: Slow\r\n\r\n';

const LINE = `${'x'.repeat(998)}\r\n`;
const LONGEST = Buffer.from(LINE.repeat(26_200));

/** A message under way from an address: its header and so many bytes of body, never the final dot. */
const holdMessage = async (instance: TestInstance, localAddress: string, bytes: number): Promise<RawSmtp> => {
  const client = await RawSmtp.connect({ port: instance.smtpPort, localAddress });
  await client.reply();
  await client.command('EHLO client.test');
  for (const line of ['MAIL FROM:<carol@remote.test>', `RCPT TO:<${instance.agents.ann.address}>`, 'DATA']) {
    const reply = await client.command(line);
    if (!/^[23]/.test(reply)) throw new Error(reply);
  }
  client.write(HEAD);
  // In one piece: thousands of writes would keep the server, which shares this process, from reading.
  client.write(LONGEST.subarray(LONGEST.length - bytes));
  return client;
};

const turnedAway = (instance: TestInstance) =>
  instance.warned.filter(({ message }) => message === 'turned away').map(({ fields }) => fields);

t.test('messages that one address never ends do not keep out the mail of others', async (t) => {
  await using instance = await startInstance({ smtp: 'trusted = []' });
  // As many bytes as everybody together may have under way, from one address.
  const sizes = [...Array<number>(10).fill(26_200_000), 6_200_000, 30_000, 10_000, 100];
  const held = await Promise.all(
    sizes.map((size) => holdMessage(instance, '127.0.0.9', size).catch((error: Error) => error)),
  );
  const others = async () => {
    await using client = await holdMessage(instance, '127.0.0.10', 1_000_000);
    client.write('\r\n.\r\n');
    return await client.reply(20_000);
  };
  for (let round = 0; round < 3; round++) t.match(await others(), /^250 2\./, 'while the attack goes on');
  await eventually(async () => turnedAway(instance).length > 0);
  t.match(turnedAway(instance)[0], {
    resource: 'message bytes',
    network: '127.0.0.9',
    limit: 'network',
    most: 33_554_432,
  });
  for (const client of held) if (client instanceof RawSmtp) client.socket.destroy();
  t.same(instance.faults, []);
});

t.test('with all bytes taken by many addresses, the slowest message gives way', async (t) => {
  await using instance = await startInstance({
    smtp: 'trusted = []\nmax_message_bytes = 1000000',
    toml: '[budget]\nmessage_bytes = 2000000\nmessage_bytes_per_network = 1000000\ngive_way_seconds = 0\n',
  });
  const slow = await holdMessage(instance, '127.0.0.2', 900_000);
  const slower = await holdMessage(instance, '127.0.0.3', 800_000);
  const ended = Promise.race([slow.reply(20_000), slower.reply(20_000)]);
  await eventually(async () => {
    await using client = await holdMessage(instance, '127.0.0.4', 700_000);
    client.write('\r\n.\r\n');
    return /^250 2\./.test(await client.reply(20_000));
  });
  t.match(await ended, /^421 4\.3\.2 Slow, and others are waiting/);
  for (const client of [slow, slower]) client.socket.destroy();
  t.same(instance.faults, []);
});

t.test('with all connections taken by messages that do not come, the slowest gives way', async (t) => {
  await using instance = await startInstance({
    smtp: 'trusted = []',
    toml: '[budget]\nsmtp_connections = 2\ngive_way_seconds = 0\n',
  });
  const slow = await holdMessage(instance, '127.0.0.2', 1_000);
  const other = await holdMessage(instance, '127.0.0.3', 2_000);
  await using client = await RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.4' });
  t.match(await client.reply(), /^220 /);
  t.match(await Promise.race([slow.reply(), other.reply()]), /^421 4\.3\.2 Slow, and others are waiting/);
  for (const each of [slow, other]) each.socket.destroy();
  t.same(instance.faults, []);
});

t.test('a message has a least speed, and a small one may pause', async (t) => {
  await using instance = await startInstance({
    toml: '[budget]\nleast_bytes_per_second = 100000\nspeed_seconds = 0.3\n',
  });
  await using small = await holdMessage(instance, '127.0.0.1', 10_000);
  await using large = await holdMessage(instance, '127.0.0.1', 500_000);
  const drip = setInterval(() => large.write('x\r\n'), 50);
  t.match(await large.reply(), /^421 4\.4\.2 The message comes too slowly/);
  clearInterval(drip);
  small.write('\r\n.\r\n');
  t.match(await small.reply(), /^250 2\./);
  t.same(instance.faults, []);
});

t.test('a share of connections, and who met it is in the log once', async (t) => {
  await using instance = await startInstance({
    smtp: 'trusted = []',
    toml: '[budget]\nsmtp_connections_per_network = 2\n',
  });
  const open = () => RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.9' });
  const clients = await Promise.all(Array.from({ length: 10 }, open));
  const greetings = await Promise.all(clients.map((client) => client.reply()));
  t.equal(greetings.filter((text) => text.startsWith('220')).length, 2);
  t.equal(turnedAway(instance).length, 1);
  t.match(turnedAway(instance)[0], {
    resource: 'smtp connections',
    network: '127.0.0.9',
    limit: 'network',
    used: 2,
    most: 2,
  });
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], raw: plainMail({}) }), /^250 2\./);
  for (const client of clients) client.socket.destroy();
});
