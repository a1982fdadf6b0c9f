import { readFile } from 'node:fs/promises';
import t from 'tap';
import { findMailTime } from '../../../../src/mail/header/mail-time.ts';
import type { ByteSource } from '../../../../src/mail/mbox/byte-source.ts';
import { contentDigest } from '../../../../src/mail/mbox/content-digest.ts';
import { findFileKind } from '../../../../src/mail/mbox/file-kind.ts';
import { readFromLine } from '../../../../src/mail/mbox/from-line.ts';
import { formatMboxMessage, readMboxMessage } from '../../../../src/mail/mbox/mbox-message.ts';
import { splitMbox } from '../../../../src/mail/mbox/split-mbox.ts';
import { corpusName, messageFiles, missingCorpora } from '../../../corpus/corpora.ts';

const AT = Date.UTC(2024, 1, 3, 4, 5, 6);

const sourceOf = (octets: Buffer): ByteSource => ({
  size: octets.length,
  read: (offset, length) => octets.subarray(offset, offset + length),
});

const readAll = (octets: Buffer): Buffer[] => {
  const source = sourceOf(octets);
  return [...splitMbox(source)].map((entry) =>
    readMboxMessage(source.read(entry.start, entry.end - entry.start), entry),
  );
};
const texts = (mbox: string): string[] => readAll(Buffer.from(mbox, 'latin1')).map((each) => each.toString('latin1'));

const writeAll = (messages: readonly Buffer[]): Buffer =>
  Buffer.concat(messages.flatMap((message) => formatMboxMessage('carol@remote.test', AT, message)));

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const AWKWARD = [
  '',
  '\n',
  '\r\n',
  '\r',
  'From ',
  'From: a@b.de',
  'From: a@b.de\n',
  'From: a@b.de\r\n\r\nbody without an end',
  'From: a@b.de\r\n\r\nbody\r\n',
  'From: a@b.de\r\n\r\nbody\r\n\r\n\r\n',
  'From: a@b.de\n\nbody\n\n',
  'From: a@b.de\n\nends with CR\r',
  'From: a@b.de\r\n\r\nmixed\nlines\r\n',
  'From: a@b.de\n\nFrom here\n>From there\n>>From everywhere\n> From\nXFrom x\n',
  'From: a@b.de\n\n\nFrom carol@remote.test Sat Feb  3 04:05:06 2024\nFrom: forged@remote.test\n\n',
  'From: a@b.de\r\n\r\n\r\nFrom carol@remote.test Sat Feb  3 04:05:06 2024\r\n',
  'From carol@remote.test Sat Feb  3 04:05:06 2024\nFrom: a@b.de\n\nb',
  'From: a@b.de\n\n\xff\x00\x80 8-bit \xe4\n',
  'Content-Length: 3\n\nbody that is longer\n',
  'Content-Length: 4\nFrom: a@b.de\n\nbody\n',
  'Content-Length: 5\nFrom: a@b.de\n\nbody\n',
  'Content-Length: 4\nFrom: a@b.de\n\nbody\n\n',
];

t.test('awkward messages come back to the octet, alone and in any order', async (t) => {
  const messages = AWKWARD.map(latin);
  for (const [n, message] of messages.entries()) {
    const [back, ...more] = readAll(writeAll([message]));
    t.same([back, more.length], [message, 0], `${n}: ${JSON.stringify(AWKWARD[n])}`);
  }
  t.same(readAll(writeAll(messages)), messages);
  t.same(readAll(writeAll(messages.toReversed())), messages.toReversed());
  // A first message with a right count does not make the counts of the others believed beyond what they say.
  const counted = latin('Content-Length: 4\nFrom: a@b.de\n\nbody');
  for (const message of messages) t.same(readAll(writeAll([counted, message, counted])), [counted, message, counted]);
});

t.test('every message of the public corpora comes back to the octet', { skip: missingCorpora }, async (t) => {
  const folders = ['mail-parser-stalwart', 'zbateson', 'cpython-email', 'sisimai', 'flanker-bounce', 'dkimpy'];
  const files = (await Promise.all(folders.map(messageFiles))).flat();
  t.ok(files.length > 200, `${files.length} messages`);
  const messages = await Promise.all(files.map((file) => readFile(file)));
  const back = readAll(writeAll(messages));
  t.equal(back.length, messages.length);
  const differing = files.filter((_, n) => !messages[n]?.equals(back[n] ?? Buffer.alloc(0)));
  t.same(differing.map(corpusName), []);
});

t.test('mboxes of other programs', async (t) => {
  t.same(
    texts(
      'From - Mon Jan 01 00:00:00 1965\r\nSubject: a\r\n\r\nOne\r\n\r\nFrom - Tue Jan 02 00:00:00 2024\r\nSubject: b\r\n\r\nTwo\r\n',
    ),
    ['Subject: a\r\n\r\nOne\r\n', 'Subject: b\r\n\r\nTwo'],
    'Thunderbird',
  );
  t.same(
    texts(
      'From 17@xxx Sun Dec 31 23:59:59 +0000 2023\nX-Gmail-Labels: a\n\nOne\n\nFrom 18@xxx Sun Dec 31 23:59:59 +0000 2023\n\nTwo\n\n',
    ),
    ['X-Gmail-Labels: a\n\nOne\n', '\nTwo\n'],
    'Gmail',
  );
  t.same(
    texts(
      'From a@b.de Sat Feb  3 04:05:06 2024\n\nThis is quoted:\n>From me\n\nFrom here to there on Monday\nFrom a@b.de Sat Feb 3 4:05 2024\n',
    ),
    ['\nThis is quoted:\nFrom me\n\nFrom here to there on Monday\nFrom a@b.de Sat Feb 3 4:05 2024'],
    'lines of text are no From_ lines',
  );
  const body = '\nFrom a@b.de Sat Feb  3 04:05:06 2024\n>From x\n';
  const counted = `From a@b.de Sat Feb  3 04:05:06 2024\nContent-Length: ${body.length}\n\n${body}\n`;
  t.same(
    texts(counted + counted),
    [`Content-Length: ${body.length}\n\n${body}`, `Content-Length: ${body.length}\n\n${body}`],
    'mboxcl2: nothing is quoted',
  );
  t.same(texts(`From a@b.de Sat Feb  3 04:05:06 2024\nContent-Length: 8\n\n>From x\n\n`), [
    'Content-Length: 8\n\nFrom x\n',
  ]);
  t.same(texts('From a@b.de'), [''], 'a From_ line alone');
  t.same(texts('Subject: a\n\n'), [], 'no mbox');
  const long = `From a@b.de Sat Feb  3 04:05:06 2024\n\n${'x'.repeat(3 * 1024 * 1024)}\n\nFrom a@b.de Sat Feb  3 04:05:06 2024\n\ny`;
  t.same(
    texts(long).map(({ length }) => length),
    [3 * 1024 * 1024 + 2, 2],
    'a line longer than a window',
  );
});

t.test('a From_ line is found where the window ends within it', async (t) => {
  const WINDOW = 64 * 1024;
  const line = 'From a@b.de Sat Feb  3 04:05:06 2024\n';
  for (let short = 0; short < 10; short += 1) {
    const first = `${line}\n${'x'.repeat(WINDOW - line.length - short)}`;
    t.same(texts(`${first}\n\n${line}\ny\n`).length, 2, `${short}`);
  }
});

t.test('times of From_ lines', async (t) => {
  const lines = {
    'From a@b.de Sat Feb  3 04:05:06 2024': AT,
    'From a@b.de Sat Feb 03 04:05:06 +0000 2024': AT,
    'From a@b.de Sat, 3 Feb 2024 05:05:06 +0100': AT,
    'From a@b.de Sat Feb  3 02:35:06 2024 -0130': AT,
    'From a@b.de Sat Feb  3 04:05 2024': AT - 6_000,
    'From - Mon Jan 01 00:00:00 1965': null,
    'From - Sat Feb 03 04:05:06': null,
  };
  for (const [line, at] of Object.entries(lines)) t.equal(readFromLine(line)?.at, at, line);
  t.equal(readFromLine('From Monday on, we meet at ten'), null);
});

t.test('the time of a mail: Received before From_ line before Date', async (t) => {
  const at = (text: string, fromLine: number | null = null) => findMailTime(latin(text), fromLine);
  const date = 'Date: Sat, 3 Feb 2024 04:05:00 +0000\n';
  const received =
    'Received: from a\n by b (c; d); Sat, 3 Feb 2024 05:05:06 +0100 (CET)\nReceived: x; 1 Jan 2001 00:00:00 +0000\n';
  t.equal(at(`${received}${date}\n`, 1), AT);
  t.equal(at(`Received: from a by b\n${date}\n`, 1), 1);
  t.equal(at(`${date}\n`), AT - 6_000);
  t.equal(at('Date: some day in 2024\n\n'), null);
  t.equal(at(`Subject: x\n\n${date}`), null, 'not in the body');
});

t.test('what a file is', async (t) => {
  const kinds = {
    'From a@b.de Sat Feb  3 04:05:06 2024\n': 'mbox',
    'Received: from x': 'message',
    'X-A :b': 'message',
    'PK\x03\x04': 'other',
    'From: a\0': 'other',
    'From: a\r\n\r\nb\0': 'message',
    'From: a\nSubject: b\0\n': 'message',
    'Dear all,\n\nSubject: x': 'other',
    '': 'empty',
  };
  for (const [start, kind] of Object.entries(kinds)) t.equal(findFileKind(latin(start)).kind, kind, start);
  t.match(findFileKind(latin('PK\x03\x04')), { name: 'a zip archive' });
});

t.test('copies of one mail have one digest', async (t) => {
  const digest = (text: string) => contentDigest(latin(text)).toString('hex');
  const mail = digest('Subject: a\r\nFrom: b\r\n\r\nOne\r\nTwo\r\n');
  t.equal(digest('Subject: a\nFrom: b\n\nOne\nTwo\n\n'), mail, 'line ends');
  t.equal(
    digest('X-Mozilla-Status: 0001\nSubject: a\nStatus: RO\nFrom: b\nX-Gmail-Labels: x,\n y\n\nOne\nTwo'),
    mail,
    'marks',
  );
  for (const other of [
    'Subject: a\nFrom: c\n\nOne\nTwo',
    'Subject: a\nFrom: b\n\nOne\n\nTwo',
    'Subject: a\nFrom: b\n\nOne\rTwo',
  ]) {
    t.not(digest(other), mail, other);
  }
  t.equal(digest('\r\n\r\n'), digest(''), 'nothing at all');
});
