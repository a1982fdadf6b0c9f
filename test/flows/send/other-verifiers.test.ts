/** What leaves, as others judge it: a Postfix that has OpenDKIM check it, and python3-authheaders. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { HOSTNAME, REMOTE_DOMAIN, startInstance, type TestInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { startOpendkim } from '../../harness/smtp/opendkim.ts';
import { POSTFIX_HOSTNAME, startPostfix } from '../../harness/smtp/postfix.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

/** Reads a mail from stdin and the DNS from its argument, as `{ name: { TXT: [...], A: [...] } }`. */
const AUTHHEADERS = `
import sys, json, spf, dkim, authheaders
zone, mail_from, helo = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
raw = sys.stdin.buffer.read()
def text(name):
    return name.decode() if isinstance(name, bytes) else str(name)
def records(name, qtype):
    return zone.get(text(name).rstrip('.').lower(), {}).get(qtype, [])
def look_up(name, qtype, *rest, **more):
    values = records(name, qtype)
    return [((name, qtype), [value.encode()] if qtype == 'TXT' else value) for value in values]
spf.DNSLookup = look_up
def txt(name, timeout=5):
    values = records(name, 'TXT')
    return values[0].encode() if values else None
def txt_for_dmarc(name, timeout=5):
    values = records(name, 'TXT')
    return values[0] if values else None
each = dkim.DKIM(raw)
count = raw.lower().count(b'dkim-signature:')
verdicts = [bool(each.verify(idx=at, dnsfunc=txt)) for at in range(count)]
authheaders.check_dkim = lambda msg, dnsfunc=None: authheaders.DKIMAuthenticationResult(
    result='pass' if verdicts and all(verdicts) else 'fail', header_d=each.domain.decode(), header_i='')
print(json.dumps({'dkim': verdicts, 'header': authheaders.authenticate_message(raw, 'judge.test', spf=True, dkim=True,
    dmarc=True, ip='127.0.0.1', mail_from=mail_from, helo=helo, dnsfunc=txt_for_dmarc)}))`;

const SENDER = 'acme.agents.box.test';
const KEYS = ['pr1', 'pe1'].map((selector) => `${selector}._domainkey.${SENDER}`);

const judge = (instance: TestInstance, raw: Buffer, mailFrom: string): { dkim: boolean[]; header: string } => {
  const { zone } = instance.dns;
  const names = [SENDER, `_dmarc.${SENDER}`, HOSTNAME, ...KEYS];
  const records = Object.fromEntries(
    names.map((name) => [name, { TXT: zone.get(name, 'TXT'), A: zone.get(name, 'A') }]),
  );
  const run = spawnSync('/usr/bin/python3', ['-c', AUTHHEADERS, JSON.stringify(records), mailFrom, HOSTNAME], {
    input: raw,
  });
  if (run.status !== 0) throw new Error(`python3-authheaders: ${run.stderr} (scripts/test-deps installs it)`);
  return JSON.parse(run.stdout.toString()) as { dkim: boolean[]; header: string };
};

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
  const { dkim, header } = judge(instance, stored, mailFrom);
  t.same(dkim, [true, true]);
  t.match(header, /spf=pass/);
  t.match(header, /dkim=pass/);
  t.match(header, /dmarc=pass/);
  t.same(instance.faults, []);
});
