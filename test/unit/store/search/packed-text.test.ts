/** A text comes back as it was packed, whatever the mail's bytes are. */

import { zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { LARGEST_DICTIONARY, packText, readBody } from '../../../../src/store/search/packed-text.ts';

/** As a query reads it. */
const readBack = (raw: Buffer, packed: Uint8Array): string =>
  readBody({ body: '', packed, mime: raw.length <= LARGEST_DICTIONARY ? zstdCompressSync(raw) : null });

const prose = Array.from({ length: 600 }, (_, at) => `word${(at * 7919) % 6007}`).join(' ');

t.test('any text, with any bytes', async (t) => {
  const mail = (text: string): Buffer => Buffer.from(`Subject: x\r\n\r\n${text.replaceAll('\n', '\r\n')}`);
  const cases: Record<string, [raw: Buffer, text: string]> = {
    'a plain mail': [mail(prose), prose],
    'a text that the bytes do not have': [mail('aGVsbG8='), prose],
    'an empty text': [mail(''), ''],
    'no bytes': [Buffer.alloc(0), prose],
    'characters beyond ASCII': [mail('Crème brûlée 🍮'), 'Crème brûlée 🍮'],
    'bytes that begin as a prepared dictionary does': [
      Buffer.concat([Buffer.from('37a430ec', 'hex'), mail(prose)]),
      prose,
    ],
    'the largest dictionary': [Buffer.alloc(LARGEST_DICTIONARY, prose), prose],
    'a larger mail': [Buffer.alloc(LARGEST_DICTIONARY + 1, prose), prose],
  };
  for (const [name, [raw, text]] of Object.entries(cases)) t.equal(readBack(raw, packText(raw, text)), text, name);
  t.equal(readBack(mail('a'), packText(mail('a'), 'a\0b')), 'a\ufffdb', 'as the store has it');
});

t.test('the text of a plain mail takes next to nothing', async (t) => {
  const raw = Buffer.from(`Subject: x\r\n\r\n${prose}`);
  t.ok(packText(raw, prose).length < 60);
});

t.test('mail of older versions is read as it is, and damaged bytes as no text', async (t) => {
  t.equal(readBody({ body: 'Hello.', packed: null, mime: null }), 'Hello.');
  t.equal(readBody({ body: null, packed: null, mime: null }), '');
  const packed = packText(Buffer.from(prose), prose);
  t.equal(readBody({ body: '', packed, mime: Buffer.from('damaged') }), '');
  t.equal(readBody({ body: '', packed: packed.subarray(0, 9), mime: zstdCompressSync(Buffer.from(prose)) }), '');
});
