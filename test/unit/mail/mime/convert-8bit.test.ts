import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { convert8bitTo7bit } from '../../../../src/mail/mime/convert-8bit.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { corpusPath, missingCorpora } from '../../../corpus/corpora.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const mail = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'));
const isFit = (raw: Buffer): boolean =>
  !raw.some((octet) => octet > 0x7f) &&
  raw
    .toString('latin1')
    .split('\r\n')
    .every((line) => line.length <= 998);

t.test('what is fit to be sent stays as it is', async (t) => {
  const raw = mail('From: a@b.example', 'Subject: Hello', '', 'Words.', '');
  t.equal(convert8bitTo7bit(raw), raw);
});

t.test('texts, files and fields are encoded, and read as before', async (t) => {
  const raw = mail(
    'From: Jürgen Müller <j@b.example>',
    'To: "Zoë, A." <z@b.example>, k@b.example',
    'Subject: Grüße aus Köln, und ein Betreff, der länger ist als eine einzige Zeile es je sein dürfte',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="x y"',
    'Content-Transfer-Encoding: 8bit',
    '',
    'preämble',
    '--x y',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    'Schöne Grüße = gut ',
    `${'long '.repeat(400)}end`,
    '--x y',
    'Content-Type: application/octet-stream; name="größe.bin"',
    'Content-Disposition: attachment; filename="größe.bin"',
    '',
    'bïnary',
    '--x y--',
    '',
  );
  const sent = convert8bitTo7bit(raw);
  t.ok(isFit(sent), sent.toString('latin1'));
  const [before, after] = [await parseMail(raw), await parseMail(sent)];
  t.same(after.from, before.from);
  t.same(after.to, before.to);
  t.equal(after.subject, before.subject);
  t.equal(after.text.trim(), before.text.trim());
  t.equal(after.attachments[0]?.filename, 'größe.bin');
  t.same(after.attachments[0]?.content, before.attachments[0]?.content);
});

t.test('a text without fields of MIME has them once it is encoded', async (t) => {
  const sent = (text: Buffer) => convert8bitTo7bit(Buffer.concat([mail('From: a@b.example', '', ''), text])).toString();
  const fields =
    'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable';
  t.equal(sent(mail('Größe', '')), `From: a@b.example\r\n${fields}\r\n\r\nGr=C3=B6=C3=9Fe\r\n`);
  t.notMatch(sent(Buffer.from('Gr\xf6\xdfe\r\n', 'latin1')), /charset/, 'of another charset nothing is claimed');
});

t.test('a message within is encoded part by part; what is signed stays', async (t) => {
  const inner = ['From: a@b.example', 'Subject: x', 'Content-Type: text/plain; charset=utf-8', '', 'Größe'];
  const within = convert8bitTo7bit(mail('From: a@b.example', 'Content-Type: message/rfc822', '', ...inner, ''));
  t.ok(isFit(within));
  t.match(
    within.toString(),
    /Subject: x\r\n(.*\r\n)*Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=B6=C3=9Fe/,
  );
  const signed = mail(
    'From: a@b.example',
    'Content-Type: multipart/signed; boundary=b',
    '',
    '--b',
    '',
    'Größe',
    '--b--',
    '',
  );
  t.ok(convert8bitTo7bit(signed).equals(signed));
});

t.test('whatever comes, the header and texts of one byte a character are fit', { skip: missingCorpora }, async (t) => {
  let files = 0;
  for (const folder of ['mail-parser-stalwart', 'zbateson', 'cpython-email']) {
    const entries = readdirSync(corpusPath(folder), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && /\.(eml|txt|msg)$/.test(each.name))) {
      const raw = readFileSync(join(entry.parentPath, entry.name));
      const sent = convert8bitTo7bit(raw);
      if (isFit(raw)) t.ok(sent.equals(raw) || isFit(sent), entry.name);
      const [before, after] = [await parseMail(raw), await parseMail(sent)];
      if (before.defects.length === 0) {
        t.equal(after.attachments.length, before.attachments.length, `${entry.name}: as many attachments`);
      }
      files += 1;
    }
  }
  t.ok(files > 100, `${files} files`);
});

t.test('a line of 998 octets stays, one of 999 is encoded', async (t) => {
  const withLine = (octets: number, end: string) =>
    mail('From: a@b.example', '', `short${end}${'y'.repeat(octets)}${end}z`);
  for (const end of ['\r\n', '\n']) {
    const fit = withLine(998, end);
    t.equal(convert8bitTo7bit(fit), fit);
    t.ok(isFit(convert8bitTo7bit(withLine(999, end))));
    t.ok(isFit(convert8bitTo7bit(mail('From: a@b.example', '', `short${end}${'y'.repeat(999)}`))), 'at the end');
  }
});

t.test('a field without blanks is fit as well, at the top and within', async (t) => {
  const id = `<${'i'.repeat(1_500)}@b.example>`;
  const field = ['From: a@b.example', `Subject: ${'y'.repeat(990)}`, `In-Reply-To: ${id}`];
  const sent = convert8bitTo7bit(mail(...field, 'Content-Type: message/rfc822', '', ...field, '', 'Hi', ''));
  t.ok(isFit(sent));
  t.equal((await parseMail(sent)).subject.replaceAll(' ', ''), 'y'.repeat(990));
});

t.test('what stands outside of any part is made fit, however long its lines', async (t) => {
  const long = 'ä\0'.repeat(1_500);
  const unbounded = ['From: a@b.example', 'Content-Type: multipart/mixed', '', long, ''];
  const bounded = [
    'From: a@b.example',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    long,
    '--x',
    '',
    'Hi',
    '--x--',
  ];
  for (const lines of [unbounded, bounded]) {
    const sent = convert8bitTo7bit(mail(...lines));
    t.ok(isFit(sent));
    t.notOk(sent.includes(0));
  }
});

t.test('time grows with the octets, not with the length of their lines', async (t) => {
  const cpuOf = (lineLength: number): number => {
    const raw = mail('From: a@b.example', '', `${'y'.repeat(lineLength)}\r\n`.repeat(8_000_000 / lineLength));
    const began = processorMs();
    convert8bitTo7bit(raw);
    return processorMs() - began;
  };
  t.ok(cpuOf(900) < 1_000, 'a search for 999 octets from each place takes 7 s');
});
