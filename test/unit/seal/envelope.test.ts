import t from 'tap';
import { open, seal } from '../../../src/seal/envelope.ts';

const key = Buffer.alloc(32, 7);
const context = 'secret:1';

t.test('what is sealed can be opened', async (t) => {
  for (const size of [0, 1, 5000]) {
    const plaintext = Buffer.alloc(size, 'a');
    t.same(open(key, seal(key, plaintext, context), context), plaintext);
  }
});

t.test('the same plaintext is never sealed to the same bytes', async (t) => {
  t.notSame(seal(key, Buffer.from('a'), context), seal(key, Buffer.from('a'), context));
});

t.test('another key, another context or a changed byte opens nothing', async (t) => {
  const sealed = seal(key, Buffer.from('plaintext'), context);
  t.equal(open(Buffer.alloc(32, 8), sealed, context), null);
  t.equal(open(key, sealed, 'secret:2'), null);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.equal(open(key, changed, context), null, `byte ${at}`);
  }
  for (let length = 0; length < sealed.length; length++) {
    t.equal(open(key, sealed.subarray(0, length), context), null, `${length} bytes`);
  }
});

t.test('a key of another length is a mistake, not a failed opening', async (t) => {
  t.throws(() => seal(Buffer.alloc(31), Buffer.from('a'), context), RangeError);
  t.throws(() => open(Buffer.alloc(33), seal(key, Buffer.from('a'), context), context), RangeError);
});
