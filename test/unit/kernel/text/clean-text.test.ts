import t from 'tap';
import { plainText, storableText } from '../../../../src/kernel/text/clean-text.ts';

t.test('text that every store can keep', (t) => {
  t.equal(storableText('a\0b\ud800\r\n'), 'a\ufffdb\ufffd\r\n');
  t.equal(plainText('a\0b\r\nc\rd\u0085\te\ud800'), 'ab\nc\nd\te\ufffd');
  t.end();
});
