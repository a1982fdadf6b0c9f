import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { feedbackReport } from '../../harness/smtp/bounce-mail.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { playDialogue } from '../../harness/smtp/smtp-dialogue.ts';

/** A mail from a public address, as the PROXY header of a load balancer states it. */
const mailFrom = (ip: string, recipient: string): string =>
  `C! PROXY TCP4 ${ip} 127.0.0.1 40000 25\\r\\n
S: 220
C: EHLO mail.remote.test
S* 250
C: MAIL FROM:<carol@remote.test>
S: 250
C: RCPT TO:<${recipient}>
S: 250
C: DATA
S: 354
C: From: carol@remote.test
C: Subject: From ${ip}
C:
C: Hello
C: .
S: 250
C: QUIT
S: 221
`.replace('C:\n', 'C! \\r\\n\n');

t.test('a block list that has the client makes the verdict; one that is down does not', async (t) => {
  await using instance = await startInstance({
    toml: '[scan]\ndnsbl = ["list.test", "down.test"]\n',
    smtp: 'proxies = ["127.0.0.1"]',
  });
  const { zone } = instance.dns;
  zone.set('4.3.2.1.list.test', 'A', ['127.0.0.2']);
  zone.set('5.3.2.1.list.test', 'A', ['127.255.255.254']);
  zone.fail('4.3.2.1.down.test', 'SERVFAIL');
  zone.fail('5.3.2.1.down.test', 'SERVFAIL');
  for (const ip of ['1.2.3.4', '1.2.3.5']) {
    await playDialogue(mailFrom(ip, instance.agents.ann.address), { port: instance.smtpPort });
  }
  const { messages } = await instance.client(instance.agents.ann).messages.list({});
  t.same(
    messages.map(({ subject, spam_verdict }) => [subject, spam_verdict]),
    [
      ['From 1.2.3.5', 'UNKNOWN'],
      ['From 1.2.3.4', 'FAIL'],
    ],
    'a list that says it will not answer has not listed',
  );
});

t.test("a scanner's action decides; one that is dead loses no mail", async (t) => {
  const asked: { headers: Record<string, unknown>; body: string }[] = [];
  let action: string | null = 'add header';
  const rspamd = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: (await buffer(request)).toString() });
    if (action === null) response.destroy();
    else response.end(JSON.stringify({ action, score: 7 }));
  });
  await new Promise<void>((resolve) => rspamd.listen(0, '127.0.0.1', resolve));
  const { port } = rspamd.address() as AddressInfo;
  await using instance = await startInstance({ toml: `[scan]\nrspamd_url = "http://127.0.0.1:${port}"\n` });
  const verdict = async () => {
    await sendMail(instance.smtpPort, { to: [instance.agents.ann.address] });
    return (await instance.client(instance.agents.ann).messages.list({ limit: 1 })).messages[0]?.spam_verdict;
  };
  t.equal(await verdict(), 'FAIL');
  t.match(asked[0], {
    headers: { ip: '127.0.0.1', from: 'carol@remote.test', rcpt: instance.agents.ann.address },
    body: /Hello\./,
  });
  action = 'no action';
  t.equal(await verdict(), 'PASS');
  action = null;
  t.equal(await verdict(), 'UNKNOWN');
  await new Promise((resolve) => rspamd.close(resolve));
  t.equal(await verdict(), 'UNKNOWN');
  t.same(instance.faults, []);
});

t.test('mail to postmaster, abuse and fbl reaches the owner, whatever its sender could prove', async (t) => {
  await using instance = await startInstance();
  instance.dns.zone.set('strict.test', 'TXT', ['v=spf1 -all']);
  instance.dns.zone.set('_dmarc.strict.test', 'TXT', ['v=DMARC1; p=reject']);
  const from = { from: 'x@strict.test', headers: { From: 'x@strict.test', Subject: 'Spam from your host' } };
  t.match(await sendMail(instance.smtpPort, { ...from, to: ['abuse@acme.agents.box.test'] }), /^250/);
  const [passedOn] = await instance.receiver.waitFor(1);
  t.same(passedOn?.rcptTo, ['owner@remote.test']);
  t.match(passedOn?.raw.toString(), /^Subject: Mail to abuse@acme\.agents\.box\.test: Spam from your host\r$/m);
  t.match(passedOn?.raw.toString(), /message\/rfc822/);
  const said = (raw: Buffer | undefined): string => String(raw).replaceAll('=\r\n', '').replaceAll('\r\n', ' ');
  t.match(said(passedOn?.raw), 'says that it is from `x@strict.test`. Nothing proves that, or it looks like spam.');
  t.match(
    await sendMail(instance.smtpPort, { from: '', to: ['Postmaster@agents.box.test'] }),
    /^250/,
    'null senders too',
  );
  t.match(
    await sendMail(instance.smtpPort, {
      to: ['postmaster@acme.agents.box.test'],
      headers: { 'Auto-Submitted': 'auto-replied' },
    }),
    /^250/,
  );
  await eventually(async () => {
    const kept = await instance.inStore((store) =>
      store.read.selectFrom('messages').select('subject').where('direction', '=', 'in').execute(),
    );
    return kept.length === 3;
  });
  t.equal(instance.receiver.messages.length, 1, 'what a machine wrote is kept and not passed on');

  const complaint = feedbackReport('abuse', 'b-x@acme.agents.box.test');
  for (const sender of ['feedback@remote.test', '']) {
    await sendMail(instance.smtpPort, { from: sender, to: ['fbl@acme.agents.box.test'], raw: complaint });
  }
  const [, ...complaints] = await instance.receiver.waitFor(3);
  t.same(
    complaints.map(({ rcptTo: [owner] }) => owner),
    ['owner@remote.test', 'owner@remote.test'],
    'but for complaints',
  );
  instance.dns.zone.set('proven.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  const proven = { from: 'y@proven.test', headers: { From: 'y@proven.test' } };
  await sendMail(instance.smtpPort, { ...proven, to: ['abuse@acme.agents.box.test'] });
  t.match(
    said((await instance.receiver.waitFor(4))[3]?.raw),
    'A mail to `abuse@acme.agents.box.test` says that it is from `y@proven.test`. It is attached',
  );
  t.same(instance.faults, []);
});
