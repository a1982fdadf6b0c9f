import t from 'tap';
import { toDataBody } from '../../../../src/net/smtp/data-body.ts';

const CASES: [what: string, raw: string, body: string][] = [
  ['a message', 'A: b\r\n\r\nText\r\n', 'A: b\r\n\r\nText\r\n.\r\n'],
  ['no end of line', 'Text', 'Text\r\n.\r\n'],
  ['nothing at all', '', '.\r\n'],
  ['dots at the begin of lines', '.\r\n..a\r\nb.\r\n', '..\r\n...a\r\nb.\r\n.\r\n'],
  ['bare LF, and a dot behind it', 'a\n.\nb\n', 'a\r\n..\r\nb\r\n.\r\n'],
  ['bare CR, and a dot behind it', 'a\r.\rb', 'a\r\n..\r\nb\r\n.\r\n'],
  ['a CR at the end', 'a\r', 'a\r\n.\r\n'],
  ['CR CR LF', 'a\r\r\n.\r\n', 'a\r\n\r\n..\r\n.\r\n'],
  ['an end that would smuggle', 'a\n.\r\nMAIL FROM:<x@y>\r\n', 'a\r\n..\r\nMAIL FROM:<x@y>\r\n.\r\n'],
  // To a pattern with the m flag these end a line too.
  ['line separators of Unicode, as bytes', '\u2028.a\r\n\u0085.b\r\n', '\u2028.a\r\n\u0085.b\r\n.\r\n'],
];

t.test('lines end with CRLF, dots are stuffed, and a dot ends it', (t) => {
  for (const [what, raw, body] of CASES) t.equal(toDataBody(Buffer.from(raw)).toString(), body, what);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at).filter((at) => at !== 10 && at !== 13));
  t.same(toDataBody(bytes), Buffer.concat([bytes, Buffer.from('\r\n.\r\n')]), 'every other byte stays as it is');
  const part = Buffer.from('xx.hidden\r\nyy').subarray(2, 11);
  t.equal(toDataBody(part).toString(), '..hidden\r\n.\r\n', 'a part of a buffer is that part');
  t.end();
});
