import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

/** Nested links and as many words: what converting it to text costs grows with both. */
const nestedMail = (words: number): string => {
  const html = `${'<a href="http://xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/">'.repeat(199)}${'x '.repeat(words)}`;
  const base64 = Buffer.from(html).toString('base64').replace(/.{76}/g, '$&\r\n');
  const head = 'From: eve@evil.test\r\nSubject: Nested\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n';
  return `${head}Content-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`;
};

/** As many as one network may have in progress, and more. */
const MAILS = 12;
/** A key asks 300 times a minute. */
const MOST_ROUNDS = 80;

const sendFrom = async (instance: TestInstance, localAddress: string, to: string, raw: string): Promise<string> => {
  await using client = await RawSmtp.connect({ port: instance.smtpPort, localAddress });
  await client.reply();
  await client.command('EHLO evil.test');
  await client.command('MAIL FROM:<eve@evil.test>');
  await client.command(`RCPT TO:<${to}>`);
  await client.command('DATA');
  client.write(`${raw}.\r\n`);
  return await client.reply(60_000);
};

t.test('mails that take worker threads long hold up nobody else', async (t) => {
  await using instance = await startInstance({ smtp: 'trusted = []' });
  const { ann, bob } = instance.agents;
  const client = instance.client(bob);
  const work = async () => {
    await client.messages.send({ to: ['carol@remote.test'], subject: 'x', body: 'x' });
    await sendMail(instance.smtpPort, { to: [bob.address] });
    const { messages } = await client.messages.list({ limit: 1 });
    await client.messages.get({ id: messages[0]?.id ?? '' });
  };
  // Threads that serve calls have started.
  await work();
  let answered = 0;
  const attack = Array.from({ length: MAILS }, () =>
    sendFrom(instance, '127.0.0.9', ann.address, nestedMail(200_000))
      .catch((error: Error) => error.message)
      .finally(() => {
        answered += 1;
      }),
  );
  // The attack takes as much longer as the work does where a machine is loaded.
  let rounds = 0;
  for (; answered < MAILS && rounds < MOST_ROUNDS; rounds += 1) await work();
  t.ok(rounds > 2, `${rounds} rounds of another agent's work before all ${MAILS} are answered`);
  for (const reply of await Promise.all(attack)) t.match(reply, /^(250|45[12]) /, 'taken, or told to come again');
});
