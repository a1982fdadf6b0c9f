import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { plainMail, sendMail } from '../../harness/smtp/send-mail.ts';
import { playDialogue } from '../../harness/smtp/smtp-dialogue.ts';

const limits = (keys: string) => `[smtp.limits]\n${keys}\n`;
const play = (instance: TestInstance, script: string) =>
  playDialogue(script, { port: instance.smtpPort, names: { ann: instance.agents.ann.address } });
const subjects = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).messages.list({})).messages.map(({ subject }) => subject);

/** Takes a client to DATA. */
const toData = async (instance: TestInstance, options: { localAddress?: string } = {}): Promise<RawSmtp> => {
  const client = await RawSmtp.connect({ port: instance.smtpPort, ...options });
  await client.reply();
  await client.command('EHLO client.test');
  await client.command('MAIL FROM:<carol@remote.test>');
  await client.command(`RCPT TO:<${instance.agents.ann.address}>`);
  if (!(await client.command('DATA')).startsWith('354')) throw new Error('No DATA.');
  return client;
};

t.test('five hundred idle connections from one address do not block another', async (t) => {
  await using instance = await startInstance({ smtp: 'trusted = []' });
  const clients = await Promise.all(
    Array.from({ length: 500 }, () => RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.2' })),
  );
  const greetings = await Promise.all(clients.map((client) => client.reply()));
  t.equal(greetings.filter((text) => text.startsWith('220')).length, 50);
  t.equal(greetings.filter((text) => text.startsWith('421 4.7.0')).length, 450);
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250 2\./);
  for (const client of clients) client.socket.destroy();
  t.same(instance.faults, []);
});

t.test('at the connection limit the idlest connection is evicted', async (t) => {
  await using instance = await startInstance({ toml: '[budget]\nsmtp_connections = 3\ngive_way_seconds = 0\n' });
  const open = () => RawSmtp.connect({ port: instance.smtpPort });
  await using first = await open();
  await first.reply();
  await using second = await open();
  await second.reply();
  await using busy = await toData(instance);
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250 2\./);
  t.match(await first.reply(), /^421 4\.3\.2 /);
  busy.write(`${plainMail({ headers: { Subject: 'Slow' } })}.\r\n`);
  t.match(await busy.reply(), /^250 2\./, 'one that sends is left alone');
  t.match(await second.command('NOOP'), /^250/);
});

t.test('slow input does not extend the time of a command', async (t) => {
  await using instance = await startInstance({ toml: limits('command_seconds = 0.4') });
  await using client = await RawSmtp.connect({ port: instance.smtpPort });
  await client.reply();
  // The trickle goes on until the reply: it does not extend the time.
  const trickle = setInterval(() => client.write('N'), 50);
  t.match(await client.reply(), /^421 4\.4\.2 /);
  clearInterval(trickle);
  await client.rest();
});

t.test('a client that reads no replies is ended as well', async (t) => {
  await using instance = await startInstance({ toml: limits('command_seconds = 0.5') });
  await using client = await RawSmtp.connect({ port: instance.smtpPort });
  await client.reply();
  client.socket.pause();
  const gone = new Promise((resolve) => client.socket.once('error', resolve).once('close', resolve));
  // Replies to these fill every buffer between us, after which the server writes no more.
  const flood = setInterval(() => client.write('HELP\r\n'.repeat(20_000)), 10);
  await gone;
  clearInterval(flood);
  t.match(await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] }), /^250 2\./);
});

t.test('the times of DATA, of a message and of a connection', async (t) => {
  await using idle = await startInstance({ toml: limits('data_idle_seconds = 0.3') });
  await using silent = await toData(idle);
  silent.write('Subject: half\r\n');
  t.match(await silent.reply(), /^421 4\.4\.2 /);

  await using slow = await startInstance({ toml: limits('message_seconds = 0.6\ndata_idle_seconds = 0.5') });
  await using trickling = await toData(slow);
  const trickle = setInterval(() => trickling.write('x\r\n'), 50);
  t.match(await trickling.reply(), /^421 4\.4\.2 The message/);
  clearInterval(trickle);

  await using short = await startInstance({ toml: limits('connection_seconds = 0.6') });
  await using busy = await toData(short);
  busy.write('From: carol@remote.test\r\nSubject: Whole\r\n\r\n');
  const keep = setInterval(() => busy.write('x\r\n'), 50);
  await using other = await RawSmtp.connect({ port: short.smtpPort });
  await other.reply();
  t.match(await other.reply(), /^421 4\.4\.2 /);
  clearInterval(keep);
  busy.write('\r\n.\r\n');
  t.match(await busy.reply(), /^250 2\./, 'a message in progress is finished');
  t.match(await busy.reply(), /^421 4\.4\.2 /);
  t.same(await subjects(short), ['Whole']);
  t.same([...idle.faults, ...slow.faults, ...short.faults], []);
});

t.test('messages in a connection and in a minute', async (t) => {
  await using instance = await startInstance({
    smtp: 'trusted = []',
    toml: limits('messages_per_connection = 2\nmessages_per_minute_per_ip = 4\nrecipients_per_minute_per_ip = 3'),
  });
  const mail = 'C: MAIL FROM:<carol@remote.test>\nS: 250\nC: RSET\nS: 250\n';
  const hello = 'S: 220\nC: EHLO client.test\nS* 250\n';
  await play(instance, `${hello}${mail}${mail}C: MAIL FROM:<carol@remote.test>\nS: 421 4.7.0\nS! closed`);
  await play(instance, `${hello}${mail}${mail}C: QUIT\nS: 221`);
  await play(instance, `${hello}C: MAIL FROM:<carol@remote.test>\nS: 450 4.7.1\nC: NOOP\nS: 250`);
  await using other = await RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.2' });
  await other.reply();
  await other.command('EHLO client.test');
  t.match(await other.command('MAIL FROM:<carol@remote.test>'), /^250/);
  for (let count = 0; count < 3; count++) {
    t.match(await other.command(`RCPT TO:<ann+${count}@acme.agents.box.test>`), /^250/);
  }
  t.match(await other.command('RCPT TO:<ann+4@acme.agents.box.test>'), /^450 4\.7\.1/);
});

t.test('commands without a message come to an end', async (t) => {
  await using instance = await startInstance({ toml: limits('recipients_per_message = 5') });
  await using client = await RawSmtp.connect({ port: instance.smtpPort });
  await client.reply();
  let replies = 0;
  let last = '';
  for (; replies < 2_000 && !last.startsWith('421'); replies += 1) last = await client.command('NOOP');
  t.match(last, /^421 4\.7\.0 .*Too many commands/);
  t.equal(replies, 1_006);
});

t.test('recipients: too many, and guessed ones', async (t) => {
  await using instance = await startInstance({
    toml: limits(`recipients_per_message = 2
unknown_recipients_before_delay = 1
unknown_recipient_delay_seconds = 0.3
unknown_recipients = 3`),
  });
  await play(
    instance,
    `S: 220
C: EHLO client.test
S* 250
C: MAIL FROM:<carol@remote.test>
S: 250
C: RCPT TO:<ann+1@acme.agents.box.test>
S: 250
C: RCPT TO:<ann+2@acme.agents.box.test>
S: 250
C: RCPT TO:<ann+3@acme.agents.box.test>
S: 452 4.5.3
C: QUIT
S: 221`,
  );
  await using guesser = await RawSmtp.connect({ port: instance.smtpPort });
  await guesser.reply();
  await guesser.command('EHLO client.test');
  await guesser.command('MAIL FROM:<carol@remote.test>');
  const guess = async () => {
    const begin = performance.now();
    const reply = await guesser.command('RCPT TO:<nobody@acme.agents.box.test>');
    return { reply: reply.slice(0, 9), ms: performance.now() - begin };
  };
  t.match(await guess(), { reply: '550 5.1.1' });
  for (const { reply, ms } of [await guess(), await guess()]) {
    t.equal(reply, '550 5.1.1');
    t.ok(ms >= 290, 'delayed');
  }
  t.match(await guess(), { reply: '421 4.7.0' });
  t.equal(await guesser.rest(), '');
});

t.test('long lines and long headers', async (t) => {
  await using instance = await startInstance({
    toml: limits('command_bytes = 600\nline_bytes = 1000\nheader_bytes = 2000\nreceived_fields = 2'),
  });
  const refusal = async (raw: string) => {
    await using client = await toData(instance);
    client.write(`${raw}\r\n.\r\n`);
    const reply = await client.reply();
    t.match(await client.command('NOOP'), /^250/, 'the session goes on');
    return reply;
  };
  const head = 'From: carol@remote.test\r\nSubject: x\r\n';
  t.match(await refusal(`${head}\r\n${'x'.repeat(999)}`), /^550 5\.6\.0 /);
  t.match(await refusal(`${head}${'X-More: and more\r\n'.repeat(120)}\r\nx`), /^552 5\.3\.4 /);
  t.match(await refusal(`${'Received: from a by b\r\n'.repeat(3)}${head}\r\nx`), /^554 5\.4\.6 /);
  t.match(await refusal(`${'Received: from a by b\r\n'.repeat(2)}${head}\r\nx`), /^250 /);
  await play(instance, `S: 220\nC: NOOP ${'x'.repeat(600)}\nS: 500 5.5.2\nS! closed`);
});

t.test('a refused message whose client does not wait for the reply', async (t) => {
  await using instance = await startInstance();
  const [delivery] = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await toData(instance);
      client.socket.end('From: carol@remote.test\r\nSubject: Bad\r\n\r\na\nb\r\n.\r\n');
      return client.rest();
    }),
  );
  t.match(delivery, /^(550 5\.6\.11 .*)?/);
  t.match(
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: 'Good' } }),
    /^250/,
  );
  t.same(await subjects(instance), ['Good']);
  t.same(instance.faults, [], 'and a client that goes away is no fault of ours');
});

t.test('all messages together', async (t) => {
  await using instance = await startInstance({
    smtp: 'max_message_bytes = 100000',
    toml: '[budget]\nmessage_bytes = 100000\nmessage_bytes_per_network = 100000\n',
  });
  await using first = await toData(instance);
  first.write(`From: carol@remote.test\r\nSubject: First\r\n\r\n${'x'.repeat(100)}\r\n`.padEnd(120));
  await using second = await toData(instance);
  await using third = await RawSmtp.connect({ port: instance.smtpPort });
  await third.reply();
  await third.command('EHLO client.test');
  const announce = async () => (await third.command('MAIL FROM:<carol@remote.test> SIZE=99000')).slice(0, 9);
  // The first bytes of the first message are taken in whenever they arrive.
  while ((await announce()) === '250 2.1.0') await third.command('RSET');
  t.equal(await announce(), '452 4.3.1');
  second.write(`From: carol@remote.test\r\nSubject: Second\r\n\r\n${'x'.repeat(98)}\r\n`);
  second.write(`${'x'.repeat(998)}\r\n`.repeat(95));
  second.write('.\r\n');
  t.match(await second.reply(), /^452 4\.3\.1 /, 'no room for the whole of it');
  first.write('.\r\n');
  t.match(await first.reply(), /^250 2\./);
  t.equal(await announce(), '250 2.1.0', 'and room again');
  t.same(await subjects(instance), ['First']);
});

t.test('early talkers, and what a connection says about its client', async (t) => {
  await using instance = await startInstance();
  const clientReputation = () =>
    instance.logged
      .filter(({ message }) => message === 'mail in')
      .map(({ fields }) => fields as { clientReputation: string[]; score: number; name: string | null })
      .at(-1);
  const to = [instance.agents.ann.address];
  await sendMail(instance.smtpPort, { to });
  t.match(clientReputation(), { clientReputation: ['no_reverse_name'], score: 2, name: null });

  instance.dns.zone.set('1.0.0.127.in-addr.arpa', 'PTR', ['mail.remote.test']);
  await using early = await RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.2' });
  early.write('E');
  t.match(await early.rest(), /^554 5\.5\.0 .*\r\n$/);

  /** Both wait for their greeting; the one of a new network is connected first. */
  const firstGreeted = async (): Promise<string> => {
    await using unknown = await RawSmtp.connect({ port: instance.smtpPort, localAddress: '127.0.0.3' });
    await using known = await RawSmtp.connect({ port: instance.smtpPort });
    return await Promise.race([unknown.reply().then(() => 'unknown'), known.reply().then(() => 'known')]);
  };
  let isFirst = false;
  // A loaded machine may be late with one of them.
  for (let tries = 0; tries < 5 && !isFirst; tries++) isFirst = (await firstGreeted()) === 'known';
  t.ok(isFirst, 'a network that has delivered is greeted without the wait');
  t.same(instance.faults, []);
});

t.test('a name that leads back to its address, and one that does not', async (t) => {
  await using instance = await startInstance();
  const to = [instance.agents.ann.address];
  instance.dns.zone.set('1.0.0.127.in-addr.arpa', 'PTR', ['mail.remote.test']);
  instance.dns.zone.set('mail.remote.test', 'A', ['127.0.0.1']);
  await sendMail(instance.smtpPort, { to });
  instance.dns.zone.set('2.0.0.127.in-addr.arpa', 'PTR', ['mail.remote.test']);
  await using other = await toData(instance, { localAddress: '127.0.0.2' });
  other.write(`${plainMail({})}.\r\n`);
  t.match(await other.reply(), /^250/);
  const found = instance.logged.filter(({ message }) => message === 'mail in').map(({ fields }) => fields);
  t.match(found, [
    { clientReputation: [], score: 0, name: 'mail.remote.test' },
    { clientReputation: ['reverse_name_unconfirmed'], score: 1 },
  ]);
  const ann = instance.client(instance.agents.ann);
  const { messages } = await ann.messages.list({});
  const received = await Promise.all(
    messages.map(async ({ id }) => (await ann.messages.get({ id })).headers.find(({ name }) => name === 'Received')),
  );
  t.match(received[1]?.value, /\(mail\.remote\.test \[127\.0\.0\.1\]\)/);
  t.match(received[0]?.value, /\(\[127\.0\.0\.2\]\)/, 'an unconfirmed name is not recorded');
});
