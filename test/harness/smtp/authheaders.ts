/** python3-authheaders as the judge of a mail. */

import { spawnSync } from 'node:child_process';
import { HOSTNAME, type TestInstance } from '../instance.ts';

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

/** @param sender the domain that the mail is from, whose records stand in the instance's zone */
export const judgeByAuthheaders = (
  { dns: { zone } }: Pick<TestInstance, 'dns'>,
  sender: string,
  raw: Buffer,
  mailFrom: string,
): { dkim: boolean[]; header: string } => {
  const selectors = [...raw.toString('latin1').matchAll(/\ss=([a-z0-9]+);/g)].map(([, selector]) => selector);
  const keys = selectors.map((selector) => `${selector}._domainkey.${sender}`);
  const records = Object.fromEntries(
    [sender, `_dmarc.${sender}`, HOSTNAME, ...keys].map((name) => [
      name,
      { TXT: zone.get(name, 'TXT'), A: zone.get(name, 'A') },
    ]),
  );
  const run = spawnSync('/usr/bin/python3', ['-c', AUTHHEADERS, JSON.stringify(records), mailFrom, HOSTNAME], {
    input: raw,
  });
  if (run.status !== 0) throw new Error(`python3-authheaders: ${run.stderr} (scripts/test-deps installs it)`);
  return JSON.parse(run.stdout.toString()) as { dkim: boolean[]; header: string };
};
