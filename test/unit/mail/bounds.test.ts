/** What a sender may make long or many ends at its bound: each is met from both sides. */

import t from 'tap';
import { cleanHref, isWebAddress } from '../../../src/mail/html/anchors.ts';
import { readHtml } from '../../../src/mail/html/read-html.ts';
import { reviewLinks } from '../../../src/mail/html/review-links.ts';
import { sanitizeMailHtml } from '../../../src/mail/html/sanitize-html.ts';
import { safeFilename } from '../../../src/mail/mime/attachment-names.ts';
import { parseMail } from '../../../src/mail/mime/parse-message.ts';
import { takeUuencoded } from '../../../src/mail/mime/uuencode.ts';
import { findCodes } from '../../../src/mail/text/one-time-codes.ts';
import { toSnippet } from '../../../src/mail/text/snippet.ts';

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

t.test('file names', async (t) => {
  t.equal(safeFilename(`${'a'.repeat(500)}.pdf`), `${'a'.repeat(176)}.pdf`);
  t.equal(safeFilename(`${'a'.repeat(170)}.${'b'.repeat(15)}`).length, 180);
  t.equal(safeFilename(`a.${'b'.repeat(500)}`).length, 180, 'what is longer is no extension');
});

t.test('files in a text, and messages in a digest', async (t) => {
  const file = 'begin 644 a.txt\n#0V%T\n`\nend\n';
  t.equal(takeUuencoded(file.repeat(50)).files.length, 50);
  const { files, text } = takeUuencoded(file.repeat(60));
  t.equal(files.length, 50);
  t.equal(text, file.repeat(10), 'the others stay in the text');
  t.same(takeUuencoded('begin 644 a.txt\nN0V%T\nend\n').files, [], 'a line has 45 octets at most');

  const part = (at: number) => `--b\r\n\r\nFrom: a@b.de\r\nSubject: no${at}\r\n\r\nx${at}\r\n`;
  const digest = Array.from({ length: 60 }, (_, at) => part(at)).join('');
  const raw = `From: l@b.de\r\nContent-Type: multipart/digest; boundary=b\r\n\r\n${digest}--b--\r\n`;
  t.equal(count((await parseMail(Buffer.from(raw))).text, /^Subject: no\d+$/gm), 50);
});

t.test('links', async (t) => {
  t.equal(isWebAddress(`https://x.test/${'a'.repeat(2048 - 15)}`), true);
  t.equal(isWebAddress(`https://x.test/${'a'.repeat(2048 - 14)}`), false);
  t.equal(cleanHref(' \0https://x\n.test\t '), 'https://x.test');
  const long = `https://x.test/${'a'.repeat(100)}`;
  t.equal(readHtml(`<a href="${long}">here</a>`).text, 'here [https://x.test/…]');
  t.equal(readHtml(`<a href="${long.slice(0, 100)}">here</a>`).text, `here [${long.slice(0, 100)}]`);

  const links = Array.from({ length: 210 }, (_, at) => `<a href="https://x.test/${at}">${at}</a>`).join('');
  t.match(reviewLinks(links), { links: { length: 200 }, more: 10, isWhole: true });
  const [one] = reviewLinks(`<a href="https://x.test/${'a'.repeat(3_000)}">${'l '.repeat(400)}</a>`).links;
  t.same([one?.label.length, one?.address.length], [299, 2_000]);
});

t.test('the text of a page', async (t) => {
  const text = (html: string): string => readHtml(html).text;
  t.equal(text(`<img alt="${'a'.repeat(400)}">`).length, 300);
  t.match(text(`${'<blockquote>'.repeat(30)}x`), /^>{10} x$/m);
  t.match(text(`${'<ul><li>'.repeat(30)}x`), /^ {14}- x$/m, 'eight steps');
  const row = (...cells: string[]) => `<table><tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr></table>`;
  t.equal(text(row('a', 'b'.repeat(400))), `a\t${'b'.repeat(400)}`);
  t.notMatch(text(row('a', 'b '.repeat(220))), '\t', 'a longer cell is a block');
  t.notMatch(text(row('b'.repeat(101), 'c'.repeat(101))), '\t', 'and so are two columns of prose');
  const long = readHtml(`<p>${'a'.repeat(600_000)}</p>${'<hr>'.repeat(90_000)}`);
  t.same([long.text.length, long.isCut], [1_000_000, true]);
  t.match(readHtml(`${'<i>'.repeat(2 ** 19)}x`), { isCut: true }, 'a mebibyte is read');
});

t.test('elements within each other, and at all', async (t) => {
  t.equal(count(sanitizeMailHtml(`${'<div>'.repeat(300)}x`), /<div>/g), 200);
  t.ok(count(sanitizeMailHtml('<p>x</p>'.repeat(60_000)), /<p>/g) <= 50_000);
});

t.test('codes, and the snippet', async (t) => {
  const codes = Array.from({ length: 30 }, (_, at) => `Your code is ${473_100 + 7 * at}.`).join('\n\n');
  t.equal(findCodes([codes], '').length, 10);
  t.equal(toSnippet(`${' '.repeat(9_000)}behind`), '');
  t.equal(toSnippet('word '.repeat(100)).length, 159);
});
