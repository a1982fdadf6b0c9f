/** Whatever a stranger sends is read, in bounded time and without a throw. */

import t from 'tap';
import { authenticate } from '../../../../src/mail/auth/authenticate-message.ts';
import { readMessage } from '../../../../src/mail/header/message-header.ts';
import { stripForgedResults } from '../../../../src/mail/header/trace-fields.ts';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { sanitizeMailHtml } from '../../../../src/mail/html/sanitize-html.ts';
import { parseMail, summarizeAttachments } from '../../../../src/mail/mime/parse-message.ts';
import { joinTextParts } from '../../../../src/mail/text/join-text-parts.ts';
import { findLinks } from '../../../../src/mail/text/mail-links.ts';
import { findCodes } from '../../../../src/mail/text/one-time-codes.ts';
import { readReply } from '../../../../src/mail/text/reply-text.ts';
import { toSnippet } from '../../../../src/mail/text/snippet.ts';
import { rounds } from '../../../harness/long-form.ts';
import { processorMs } from '../../../harness/processor-ms.ts';
import { resolverOf } from '../auth/zone.ts';
import { nested } from './nested-multiparts.ts';

const HEAD = 'From: a@b.de\r\nSubject: x\r\n';
/** Generous: the machine may be busy, and what these guard against takes minutes. */
const BOUND_MS = rounds(4000, 8000);

const PATTERN_CHARS = rounds(200_000, 500_000);
const many = (text: string, chars = 500_000): string => text.repeat(Math.floor(chars / text.length));

const MAILS: Record<string, string> = {
  nothing: '',
  'an empty line': '\r\n',
  'NUL bytes': '\0'.repeat(5000),
  'NUL bytes in fields': 'From: a\0@b.de\r\nSub\0ject: x\0y\r\n\r\n\0',
  'no end of header': 'From: a@b.de',
  'deep nesting': HEAD + nested(3000),
  'many parts': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${many('--b\r\n\r\nx\r\n')}`,
  'no boundary': `${HEAD}Content-Type: multipart/mixed\r\n\r\nhello`,
  'a boundary that never comes': `${HEAD}Content-Type: multipart/mixed; boundary=zz\r\n\r\nhello`,
  'an empty boundary': `${HEAD}Content-Type: multipart/mixed; boundary=""\r\n\r\n--\r\n\r\nhello\r\n----`,
  '10 000 header fields': `${HEAD}${'X-A: b\r\n'.repeat(10_000)}\r\nhello`,
  '10 000 signatures': `${'DKIM-Signature: v=1; a=rsa-sha256; d=x.de; s=s; l=1; h=from; bh=x; b=y\r\n'.repeat(10_000)}${HEAD}\r\nhello`,
  'a megabyte of folds': `${HEAD}X-A: b\r\n${many(' \r\n', 1_000_000)}\r\nhello`,
  'one line of a megabyte': `${HEAD}\r\n${'x'.repeat(1_000_000)}`,
  'a field of a megabyte': `${HEAD}X-A: ${'x'.repeat(1_000_000)}\r\n\r\nhello`,
  'endless parameters': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; ${'a*0=b;'.repeat(9000)}\r\n\r\nx`,
  'a To of brackets': `${HEAD}To: ${many('<', 100_000)}\r\n\r\nx`,
  'a To of groups': `${HEAD}To: ${many('a:', 100_000)}\r\n\r\nx`,
  'a signature of tabs': `DKIM-Signature: v=1;${many('\t', 120_000)} a=rsa-sha256; d=b.de; s=s; h=from; bh=YQ==; b=YQ==\r\n${HEAD}\r\nx`,
  'a signer of dots': `DKIM-Signature: v=1; a=rsa-sha256; d=b${many('.', 120_000)}de; s=s; h=from; bh=YQ==; b=YQ==\r\n${HEAD}\r\nx`,
  'a seal of blanks': `ARC-Seal: i=1; cv=none;${many(' ', 120_000)} d=b.de; s=s; a=rsa-sha256; b=YQ==\r\n${HEAD}\r\nx`,
  'a signed author of dots': `DKIM-Signature: v=1; a=rsa-sha256; d=b.de; s=s; h=from; bh=YQ==; b=YQ==\r\nFrom: a@b${many('.', 120_000)}de\r\n\r\nx`,
  'tabs in quoted-printable': `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\na${many('\t', 200_000)}b\r\n`,
  'tabs in an attachment': `${HEAD}Content-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na${many('\t', 200_000)}b\r\n`,
  'a padded line among signatures': `DKIM-Signature: v=1; a=rsa-sha256; d=b.de; s=s; h=from; bh=YQ==; b=YQ==\r\nDKI${many('\t', 120_000)}M\r\n${HEAD}\r\nx`,
  'an author with a long domain': `From: a@${many('b.', 120_000)}de\r\n\r\nx`,
  'half encoded words': `${HEAD}Subject: ${many('=?utf-8?q?', 100_000)}\r\n\r\nx`,
  'broken encodings': `${HEAD}Content-Transfer-Encoding: base64\r\nContent-Type: text/plain; charset=no-such\r\n\r\n====!!${many('%')}`,
  'open elements': `${HEAD}Content-Type: text/html\r\n\r\n${many('<div>', 2_000_000)}`,
  'open comments': `${HEAD}Content-Type: text/html\r\n\r\n${many('<!--')}`,
};

t.test('messages', async (t) => {
  for (const [name, source] of Object.entries(MAILS)) {
    const raw = Buffer.from(source);
    const started = processorMs();
    const mail = await parseMail(raw);
    t.type(mail.text, 'string', name);
    const session = { ip: '192.0.2.1', helo: 'x', mailFrom: '', authservId: 'mx.test' };
    const result = await authenticate(readMessage(raw), session, resolverOf({}));
    t.match(result.header, /^Authentication-Results: mx\.test;/, name);
    t.type(stripForgedResults(raw, 'mx.test').length, 'number');
    t.ok(processorMs() - started < BOUND_MS, `${name}, in time`);
  }
});

t.test('says what it could not read', async (t) => {
  const defects = async (name: string) => (await parseMail(Buffer.from(MAILS[name] ?? ''))).defects.join();
  t.match(await defects('deep nesting'), /child nodes/);
  t.match(await defects('no boundary'), /multipart without boundary/);
  t.match(await defects('a boundary that never comes'), /multipart without parts/);
  t.match(await defects('10 000 header fields'), /too many header fields/);
  t.match(await defects('a field of a megabyte'), /header section too long/);
  const text = (await parseMail(Buffer.from(MAILS['no boundary'] ?? ''))).text;
  t.equal(text, 'hello', 'and shows what there is');
});

t.test('a part is within a hundred multiparts at most, as in Postfix', async (t) => {
  const within = (depth: number) => parseMail(Buffer.from(`${HEAD}${nested(depth)}\r\nhello`));
  t.match(await within(100), { text: 'hello', defects: [] });
  t.match((await within(101)).defects.join(), /child nodes/);
});

t.test('patterns', async (t) => {
  const runs = ['a', ' ', '\n', '>\n', 'On 1\n', 'On 1 wrote:\n', '_', '-', '- ', 'From: x\n', 'From: x\nTo: y\n'];
  runs.push('Sent from my a ', '1', '1234 ', 'code 1234 ', 'A1', 'A1B2C3 ', 'AB-', 'http://', 'http://a/verify ');
  runs.push(
    'href',
    '<a href="http://x/verify">',
    '<a href="',
    'a@',
    '&amp;',
    '<a ',
    '<',
    '</b',
    '<p style="',
    '\\',
    '(',
  );
  for (const run of runs) {
    const text = many(run, PATTERN_CHARS);
    const started = processorMs();
    readReply(text);
    toSnippet(text);
    findCodes([`code ${text}`], text);
    findLinks(text, '', readHtml(text).anchors);
    sanitizeMailHtml(text);
    t.ok(processorMs() - started < BOUND_MS, `${PATTERN_CHARS} characters of ${JSON.stringify(run)}`);
  }
});

t.test('a last line that begins as the one of a device', (t) => {
  for (const opening of ['Sent from', 'Shared via my', 'Gesendet von', 'Отправлено с', 'Envoyé depuis']) {
    const started = processorMs();
    readReply(`Yes.\n\n${opening} ${many('a', PATTERN_CHARS)}%`);
    t.ok(processorMs() - started < BOUND_MS, opening);
  }
  t.end();
});

t.test('pages that would take the square of their length, or of their depth', async (t) => {
  const pages: Record<string, string> = {
    'links in links': `${'<a href="http://xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/">'.repeat(199)}${'x '.repeat(rounds(40_000, 200_000))}`,
    'quotes in quotes': `${'<blockquote>'.repeat(199)}${'<h1>x</h1>'.repeat(rounds(6_000, 30_000))}`,
    'tables in tables': `${'<table><tr><td>a<td>'.repeat(64)}${'<table><tr><td>a<td><p>x<p>y</table>'.repeat(rounds(5_000, 25_000))}`,
    'lists in lists': `${'<ul>'.repeat(100)}${'<li>x'.repeat(rounds(30_000, 150_000))}`,
    'a line of many pieces': `<a href=http://x>${'<b>a</b> '.repeat(rounds(20_000, 100_000))}`,
    'images on a line': '<img alt="a b c">'.repeat(rounds(12_000, 60_000)),
    'rules for many': `<style>${'.x{color:red}'.repeat(1_000)}</style>${`<p class="${'x '.repeat(20)}">`.repeat(rounds(5_000, 15_000))}`,
    'deep ancestors': `<style>${'.a .b .c .x{color:red}'.repeat(300)}</style>${'<div>'.repeat(900)}${'<p class="x">y'.repeat(rounds(12_000, 40_000))}`,
    'a selector of blanks': `<style>a${' '.repeat(120_000)}b{color:red}</style>`,
    'backgrounds of blanks': Array.from(
      { length: 120 },
      (_, i) => `<p style="background:${i}${' a'.repeat(4_000)}">`,
    ).join(''),
    'transforms of blanks': Array.from(
      { length: 120 },
      (_, i) => `<p style="transform:scale(${' '.repeat(8_000)}${i}">`,
    ).join(''),
    'blocks without an end': `<style>${'@media x{'.repeat(14_000)}</style>`,
    joiners: `a${'\u200c'.repeat(900_000)}b`,
  };
  for (const [name, html] of Object.entries(pages)) {
    const started = processorMs();
    t.ok(readHtml(html).text.length <= 1_000_000, `${name}, bounded`);
    t.ok(processorMs() - started < BOUND_MS, `${name}, in time`);
  }
});

t.test('versions of one text are compared once, not once for each', async (t) => {
  const alternative = {};
  const content = 'same words '.repeat(360);
  const parts = Array.from({ length: 4_000 }, (_, i) => ({ html: i % 2 === 1, content, filename: null, alternative }));
  const started = processorMs();
  t.ok(joinTextParts(parts).text.length > 1_000_000);
  t.ok(processorMs() - started < BOUND_MS);
});

t.test('what is stored of a file is short, whatever its type', async (t) => {
  const ofType = (half: string) =>
    `--b\r\nContent-Type: application/${half}; name="${'n'.repeat(9_000)}.bin"\r\nContent-ID: <${'i'.repeat(9_000)}>\r\n\r\nx\r\n`;
  const head = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;
  const source = `${head}${ofType('a'.repeat(40_000))}${ofType('b'.repeat(127))}--b--`;
  const stored = summarizeAttachments((await parseMail(Buffer.from(source))).attachments);
  t.same(
    stored.map(({ contentType }) => contentType),
    ['application/octet-stream', `application/${'b'.repeat(127)}`],
    'RFC 6838 section 4.2',
  );
  t.ok(JSON.stringify(stored).length < 1_000);
});

const NUL_EVERYWHERE = [
  'From: "A\0B" <a\0x@b.test>',
  'To: =?utf-8?q?x=00y?= <c@d.test>, b\0ad',
  'Subject: =?utf-8?q?s=00t?= raw\0nul =?utf-8?b?AGE=?=',
  'Message-ID: <a\0b@c>',
  'In-Reply-To: <p\0q@r>',
  'References: <p\0q@r> <x@y>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'he=00llo\0',
  '--b',
  "Content-Type: application/x\0y; name*=utf-8''n%00m",
  "Content-Disposition: attachment; filename*=utf-8''f%00g.txt",
  'Content-ID: <c\0d>',
  '',
  'data',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>x&#0;y\0</p>',
  '--b--',
  '',
].join('\r\n');

t.test('no text that is stored has U+0000', async (t) => {
  const { html: _, attachments, ...mail } = await parseMail(Buffer.from(NUL_EVERYWHERE, 'latin1'));
  const stored = JSON.stringify([mail, attachments.map(({ content: __, ...summary }) => summary)]);
  t.match(stored, /f.?g\.txt/);
  t.notMatch(stored, /\\u0000/);
});
