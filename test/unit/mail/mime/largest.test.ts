/** The largest messages that are taken, filled by somebody who means harm: seconds, not minutes, and a bounded heap. */

import t from 'tap';
import { authenticate } from '../../../../src/mail/auth/authenticate-message.ts';
import { readMessage } from '../../../../src/mail/header/message-header.ts';
import { orFew, rounds } from '../../../harness/long-form.ts';
import { processorMs } from '../../../harness/processor-ms.ts';
import { resolverOf } from '../auth/zone.ts';
import { nested } from './nested-multiparts.ts';
import { startReadingThread } from './parse-in-thread.ts';

const LARGEST = 25 * 1024 * 1024;
const OCTETS = rounds(3 * 1024 * 1024, LARGEST);
/** Processor time; a quiet machine takes two seconds for the worst of the largest. */
const BOUND_MS = rounds(4_000, 15_000);

const HEAD = 'From: a@b.test\r\nSubject: x\r\n';
const full = (piece: string, octets = OCTETS): string => piece.repeat(Math.ceil(octets / Buffer.byteLength(piece)));
const part = (head: string, piece: string): string =>
  `--b\r\n${head}\r\n\r\n${piece.repeat(Math.ceil(26_000 / Buffer.byteLength(piece)))}\r\n`;
const MIXED = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;

const MAILS: Record<string, () => string> = {
  'empty lines': () => `${HEAD}\r\n${full('\r\n')}`,
  'short lines': () => `${HEAD}\r\n${full('a\r\n', LARGEST)}`,
  'quoted-printable': () => `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n${full('=E6=BC=A2=\r\n')}`,
  'flowed text': () => `${HEAD}Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${full('漢 \r\n')}`,
  'UTF-7': () => `${HEAD}Content-Type: text/plain; charset=utf-7\r\n\r\n${full('+AGE-\r\n')}`,
  'ISO-2022-JP': () => `${HEAD}Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n${full('\x1b$B$"$$\x1b(B\r\n')}`,
  HTML: () => `${HEAD}Content-Type: text/html\r\n\r\n${full('<p>a<b>c</b> <a href="http://x.test/">y</a>\r\n')}`,
  'parts of nothing': () => MIXED + full('--b\r\n\r\nx\r\n'),
  'parts of HTML': () => MIXED + full(part('Content-Type: text/html', '<p>a<b>c</b>\r\n')),
  files: () => MIXED + full(part('Content-Type: application/x-a', 'x\r\n')),
  'lines that are nearly boundaries': () => MIXED + full('--c \r\n'),
  'lines that are nearly boundaries of 900 multiparts': () =>
    `${HEAD}${nested(900, 'bbbbbbb')}\r\n${full('--bbbbbbbbb\r\n')}`,
  'boundaries with blanks': () => MIXED + full('--b--  \r\n'),
};

/** Those that have fewer characters than are kept. */
const UNCUT = ['files', ...orFew([], ['empty lines', 'quoted-printable', 'flowed text', 'ISO-2022-JP'])];

t.test('read', async (t) => {
  await using thread = startReadingThread();
  for (const [name, source] of Object.entries(MAILS)) {
    const raw = Buffer.from(source());
    const { defects, ms } = await thread.read(raw);
    t.ok(ms < BOUND_MS, `${name}: within the heap, in time`);
    if (!UNCUT.includes(name)) t.ok(defects.length > 0, `${name}: said to be cut`);
  }
});

t.test('authenticated', async (t) => {
  const resolve = resolverOf({
    'TXT s._domainkey.b.test': [['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=']],
  });
  const signature = (length: number) =>
    `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; d=b.test; s=s; l=${length}; h=from; bh=YQ==; b=YQ==\r\n`;
  const signatures = Array.from({ length: 8 }, (_, index) => signature(1_000_000 + index)).join('');
  for (const filling of ['\r\n', ' \t \r\n', 'a  b\t c \r\n', 'a b ']) {
    const raw = Buffer.from(`${signatures}${HEAD}\r\nx\r\n${full(filling)}`);
    const began = processorMs();
    const session = { ip: '192.0.2.1', helo: 'x.test', mailFrom: '', authservId: 'mx.test' };
    t.equal((await authenticate(readMessage(raw), session, resolve)).dkim, 'fail');
    t.ok(processorMs() - began < BOUND_MS, `${JSON.stringify(filling)}, in time`);
  }
});
