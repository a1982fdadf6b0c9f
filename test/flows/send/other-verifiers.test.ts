/** What leaves, as others judge it: a Postfix that has OpenDKIM check it, and python3-authheaders. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { REMOTE_DOMAIN, startInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { judgeByAuthheaders } from '../../harness/smtp/authheaders.ts';
import { startOpendkim } from '../../harness/smtp/opendkim.ts';
import { POSTFIX_HOSTNAME, startPostfix } from '../../harness/smtp/postfix.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const SENDER = 'acme.agents.box.test';
const KEYS = ['pr1', 'pe1'].map((selector) => `${selector}._domainkey.${SENDER}`);

t.test('SPF, both DKIM signatures and DMARC pass', async (t) => {
  const port = await freePort();
  await using instance = await startInstance({ outbound: `port = ${port}` });
  const records = Object.fromEntries(KEYS.map((name) => [name, instance.dns.zone.get(name, 'TXT').join('')]));
  await using milter = await startOpendkim({ verify: records });
  await using postfix = await startPostfix({ port, domains: [REMOTE_DOMAIN], milterPort: milter.port });
  const sent = await instance.client(instance.agents.ann).messages.send({
    to: [`Zoë <carol@${REMOTE_DOMAIN}>`],
    subject: 'Grüße',
    body: `Schöne *Grüße*.\n\n${'A long line of words. '.repeat(80)}`,
    attachments: [{ filename: 'größe.txt', content_base64: Buffer.from('größe').toString('base64') }],
  });
  t.equal(sent.status, 'sent');
  const file = await eventually(() => Promise.resolve(postfix.arrived()[0] ?? null));
  const stored = readFileSync(file);
  const text = stored.toString('latin1');
  const mailFrom = /^Return-Path: <(.+)>$/m.exec(text)?.[1] ?? '';
  t.match(mailFrom, /^b-/);
  // Each signature has a result of its own.
  const results = [...text.matchAll(/^Authentication-Results: (.*(?:\n[ \t].*)*)/gm)].map(([, value = '']) => value);
  t.match(results.join('\n'), new RegExp(POSTFIX_HOSTNAME));
  t.equal(results.join('\n').match(/dkim=pass/g)?.length, 2, results.join('\n'));
  // What Postfix has put on top of the mail is not the mail's; the header begins with our signatures.
  const { dkim, header } = judgeByAuthheaders(instance, SENDER, stored, mailFrom);
  t.same(dkim, [true, true]);
  t.match(header, /spf=pass/);
  t.match(header, /dkim=pass/);
  t.match(header, /dmarc=pass/);
  t.same(instance.faults, []);
});
