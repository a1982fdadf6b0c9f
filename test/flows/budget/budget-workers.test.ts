import { setTimeout as delay } from 'node:timers/promises';
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

t.test('mails that break worker threads hold up nobody else', async (t) => {
  await using instance = await startInstance({ smtp: 'trusted = []' });
  const { ann, bob } = instance.agents;
  const hostile = Array.from({ length: 3 }, () =>
    sendFrom(instance, '127.0.0.9', ann.address, nestedMail(200_000)).catch((error: Error) => error.message),
  );
  let isOver = false;
  const attack = Promise.all(hostile).finally(() => {
    isOver = true;
  });
  const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const began = Date.now();
    await work();
    const ms = Date.now() - began;
    if (ms >= 5_000) t.fail(`${name} took ${ms} ms`);
  };
  const client = instance.client(bob);
  let rounds = 0;
  do {
    rounds += 1;
    await timed('a send', () => client.messages.send({ to: [`carol${rounds}@remote.test`], subject: 'x', body: 'x' }));
    await timed('a mail from elsewhere', () => sendMail(instance.smtpPort, { to: [bob.address] }));
    await timed('a read', async () => {
      const { messages } = await client.messages.list({ limit: 1 });
      await client.messages.get({ id: messages[0]?.id ?? '' });
    });
    // An agent at work: a few calls a second, of the 300 a minute that its key has.
    await delay(500);
  } while (!isOver);
  t.ok(rounds > 0);
  for (const reply of await attack) t.match(reply, /^(250|45[12]) /, 'taken, or told to come again');
});
