import t from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import { openSession, type SmtpSession } from '../../../../src/net/smtp/smtp-client.ts';
import { SessionCache } from '../../../../src/outbound/queue/session-cache.ts';
import { type ScriptedHost, startScriptedHost } from '../../../harness/smtp/scripted-host.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const open = async ({ port }: ScriptedHost): Promise<SmtpSession> => {
  const opened = await openSession({
    host: { name: 'mx', address: '127.0.0.1' },
    port,
    localName: 'mx.sender.test',
    tls: { kind: 'none' },
  });
  if (opened.kind === 'failed') throw new Error(opened.reply.transcript);
  return opened.session;
};
const quits = ({ lines }: ScriptedHost): number => lines.filter((line) => line === 'QUIT').length;

t.test('a session is cached for its key, the last used first', async (t) => {
  await using host = await startScriptedHost();
  const sessions = new SessionCache();
  const [one, two] = [await open(host), await open(host)];
  sessions.put('mx a', one);
  sessions.put('mx a', two);
  t.equal(sessions.take('mx b'), null);
  t.equal(sessions.take('mx a'), two);
  t.equal(sessions.take('mx a'), one);
  t.equal(sessions.take('mx a'), null);
  sessions.put('mx a', one);
  await Promise.all([sessions.close(), two.quit()]);
  t.equal(quits(host), 2);
});

t.test('a session at its bound of mails, or closed, is not cached', async (t) => {
  await using host = await startScriptedHost();
  const sessions = new SessionCache();
  const [used, over] = [await open(host), await open(host)];
  const mail = { mailFrom: null, recipient: 'carol@remote.test' as Address, raw: Buffer.from('Hi\r\n') };
  while (used.mails < 99) await used.deliver(mail);
  sessions.put('mx', used);
  t.equal(sessions.take('mx'), used, '99 mails');
  await used.deliver(mail);
  sessions.put('mx', used);
  t.equal(sessions.take('mx'), null, '100');
  await over.quit();
  sessions.put('mx', over);
  t.equal(sessions.take('mx'), null);
});

t.test('idle sessions with a host are closed before a new one is opened', async (t) => {
  const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
  await using host = await startScriptedHost({ at: (step) => (step === 'QUIT' ? held : undefined) });
  const sessions = new SessionCache();
  for (const key of ['mx a', 'mx b', 'mx2 a']) sessions.put(key, await open(host));
  let hasEnded = false;
  const ending = sessions.dropAllOf('mx').then(() => {
    hasEnded = true;
  });
  await eventually(async () => quits(host) === 2);
  t.notOk(hasEnded, 'the host has not said good-bye');
  go(undefined);
  await ending;
  t.equal(quits(host), 2);
  t.ok(sessions.take('mx2 a') !== null, 'another host’s stays');
  await sessions.close();
});
