/**
 * Real bounces and complaints of some sixty systems, with what another project makes of them: whom they are about, what was
 * replied, and what that means.
 */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { classifyFailure, parseBounceRules } from '../../src/config/bounce-rules.ts';
import type { MailReport } from '../../src/mail/dsn/mail-report.ts';
import { parseReport } from '../../src/mail/dsn/parse-report.ts';
import { parseMail } from '../../src/mail/mime/parse-message.ts';
import { corpusPath, messageFiles, missingCorpora } from './corpora.ts';

const SETS = corpusPath('sisimai', 'maildir');
const tableFile = new URL('../../config/bounce-rules.toml', import.meta.url);
const replies = parseBounceRules(readFileSync(tableFile, 'utf8'), tableFile.pathname);

interface Expected {
  reason: string;
  replycode: string;
  dsn: string;
}

type Kind = 'permanent' | 'blocked' | 'expired' | 'message' | 'feedback' | 'none';

/** Where their reason leaves no doubt, ours has to be this. */
const CLEAR: Record<string, Kind> = {
  userunknown: 'permanent',
  hostunknown: 'permanent',
  hasmoved: 'permanent',
  notaccept: 'permanent',
  mailboxfull: 'expired',
  mesgtoobig: 'message',
  exceedlimit: 'message',
  expired: 'expired',
  feedback: 'feedback',
  delivered: 'none',
  vacation: 'none',
};

/** What stands for the rest of their reasons, some of which are a matter of taste. */
const USUAL: Record<string, Kind> = {
  ...CLEAR,
  filtered: 'permanent',
  suspend: 'permanent',
  networkerror: 'expired',
  notcompliantrfc: 'message',
  contenterror: 'message',
};

/** Where ours is another, and why. */
const KIND_EXCEPTIONS: Record<string, string> = {
  'arf-26.eml': 'an unsubscribe mail of a person, which is no feedback report',
  'lhost-domino-02.eml': 'its words are Japanese, in a charset that the part does not name; the code is 5.0.0',
  'lhost-exim-30.eml': '5.7.1 and "Access denied" are policy, not an absent mailbox; only that host means it so',
  'lhost-sendmail-14.eml': 'a person passes the bounce on',
  'rfc3464-01.eml': 'the code is 5.1.1 and the words are "User Unknown"',
};
const CODE_EXCEPTIONS: Record<string, string> = {
  'lhost-amazonworkmail-05.eml': 'it gives two, the first is the one that counts',
  'lhost-amazonworkmail-07.eml': 'it gives two, the first is the one that counts',
  'lhost-sendmail-29.eml': 'a notice of delay, which gives the reply only in its transcript',
  'lhost-sendmail-55.eml': 'a notice of delay, which gives the reply only in its transcript',
  'lhost-sendmail-56.eml': 'the code is in Diagnostic-Code, theirs is from the transcript',
  'lhost-v5sendmail-05.eml': 'several sessions in one transcript, and nothing that tells them apart',
  'rfc3464-04.eml': 'the code stands in the transcript of a pipe',
};

const kindsOf = (report: MailReport | null): Kind[] => {
  if (report === null) return ['none'];
  if (report.kind === 'feedback') return ['feedback'];
  return report.recipients.map(({ action, code, enhancedCode, diagnostic }) =>
    action === 'failed' ? classifyFailure(replies, { code, enhancedCode, text: diagnostic }) : 'none',
  );
};

const isDelay = (report: MailReport | null): boolean =>
  report?.kind === 'delivery' && report.recipients.every(({ action }) => action === 'delayed');

const expectations = async (): Promise<[name: string, expected: [Expected, ...Expected[]]][]> =>
  Object.entries(JSON.parse(await readFile(corpusPath('sisimai', 'expected.json'), 'utf8')));

const reportOf = async (path: string): Promise<MailReport | null> => parseReport(await parseMail(await readFile(path)));

const percent = (part: number, whole: number): string => `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`;

t.test('sisimai: kind, code and recipient', { skip: missingCorpora }, async (t) => {
  const all = await expectations();
  t.ok(all.length > 200, 'the set is there');
  const counts = { clear: 0, clearAgree: 0, usual: 0, usualAgree: 0, codes: 0, codesAgree: 0, named: 0, notices: 0 };
  const excepted = new Set<string>();
  for (const [name, expected] of all) {
    const [first] = expected;
    const report = await reportOf(`${SETS}/bsd/${name}`);
    const [kind] = kindsOf(report);
    // What is not given up yet has no outcome, whatever delays it.
    const agrees = (wanted: Kind | undefined) => kind === wanted || isDelay(report);
    counts.usual += 1;
    counts.usualAgree += Number(agrees(USUAL[first.reason] ?? 'blocked'));
    const clear = CLEAR[first.reason];
    if (clear) {
      counts.clear += 1;
      counts.clearAgree += Number(agrees(clear));
      if (KIND_EXCEPTIONS[name] && !agrees(clear)) excepted.add(name);
      else t.ok(agrees(clear), `${name}: ${kind} for ${first.reason}`);
    }
    if (report?.kind !== 'delivery') continue;
    const [recipient] = report.recipients;
    counts.notices += 1;
    counts.named += Number(recipient?.addresses[0]?.includes('@') ?? false);
    if (first.replycode !== '') {
      counts.codes += 1;
      const isSame = String(recipient?.code) === first.replycode;
      counts.codesAgree += Number(isSame);
      if (CODE_EXCEPTIONS[name]) excepted.add(name);
      else t.ok(isSame, `${name}: code ${recipient?.code} for ${first.replycode}`);
    }
  }
  t.comment(`kind, clear reasons: ${percent(counts.clearAgree, counts.clear)}`);
  t.comment(`kind, all reasons: ${percent(counts.usualAgree, counts.usual)}`);
  t.comment(`reply code: ${percent(counts.codesAgree, counts.codes)}`);
  t.comment(`an address is named: ${percent(counts.named, counts.notices)}`);
  t.ok(counts.usualAgree / counts.usual > 0.92, 'kind, all reasons');
  t.ok(counts.named / counts.notices > 0.98, 'an address is named');
  const stale = [...Object.keys(KIND_EXCEPTIONS), ...Object.keys(CODE_EXCEPTIONS)].filter(
    (name) => !excepted.has(name),
  );
  t.same(stale, [], 'no exception is more than needed');
});

t.test('sisimai: the recipients of a bounce to several', { skip: missingCorpora }, async (t) => {
  for (const [name, expected] of await expectations()) {
    const report = await reportOf(`${SETS}/bsd/${name}`);
    if (expected.length < 2 || report?.kind !== 'delivery') continue;
    if (name === 'rfc3464-28.eml') continue; // told twice of one recipient
    t.equal(report.recipients.length, expected.length, name);
  }
});

t.test('mails that are no bounce', { skip: missingCorpora }, async (t) => {
  const files = [...(await messageFiles('sisimai/maildir/not')), ...(await messageFiles('mail-parser-stalwart/rfc'))];
  t.ok(files.length > 5);
  for (const file of files) t.equal(await reportOf(file), null, file);
});

/** Action and kind of each. */
const FLANKER: Record<string, [recipient: string, action: string, kind: string]> = {
  'broken-mime.eml': ['info@example.net', 'failed', 'expired'],
  'delayed-broken.eml': ['demo@example.com', 'failed', 'expired'],
  'delayed.eml': ['foo@example.com', 'failed', 'expired'],
  'gmail-invalid-address.eml': ['awfawfawfawfawfaw@someserverhere.com', 'failed', 'permanent'],
  'gmail-no-dns.eml': ['user@example.comm', 'failed', 'permanent'],
  'mailbox-full.eml': ['user@aol.com', 'failed', 'expired'],
  'no-mx.eml': ['user@example.com', 'delayed', 'none'],
  'office365.eml': ['noname@example.com', 'failed', 'permanent'],
  'zed.eml': ['asdfasdfasdfasdfasdfasdfewrqertrtyrthsfgdfgadfqeadvxzvz@gmail.com', 'failed', 'permanent'],
};

t.test('flanker', { skip: missingCorpora }, async (t: Test) => {
  for (const [name, [recipient, action, kind]] of Object.entries(FLANKER)) {
    const report = await reportOf(corpusPath('flanker-bounce', name));
    t.match(report, { kind: 'delivery', recipients: [{ action, addresses: [recipient] }] }, name);
    t.same(kindsOf(report), [kind], name);
  }
});

t.test('feedback reports', { skip: missingCorpora }, async (t) => {
  const types = ['abuse', 'abuse', 'auth-failure', 'auth-failure', 'auth-failure'];
  for (const [index, feedbackType] of types.entries()) {
    const name = `00${index + 1}.eml`;
    t.same(await reportOf(corpusPath('stalwart-mail-auth', 'arf', name)), { kind: 'feedback', feedbackType }, name);
  }
});
