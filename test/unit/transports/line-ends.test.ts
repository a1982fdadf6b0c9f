import t from 'tap';
import { hasBareLineEnd } from '../../../src/transports/smtp/line-ends.ts';

t.test('only CRLF ends a line', (t) => {
  t.equal(hasBareLineEnd(Buffer.from('a\r\nb\r\n')), false);
  t.equal(hasBareLineEnd(Buffer.from('')), false);
  for (const text of ['a\nb', '\na', 'a\r', 'a\rb', '\r\r\n', 'a\r\n\n', '\n']) {
    t.equal(hasBareLineEnd(Buffer.from(text)), true, JSON.stringify(text));
  }
  t.end();
});
