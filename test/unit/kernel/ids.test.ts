import { randomBytes } from 'node:crypto';
import t from 'tap';
import { createIdSource, parseId } from '../../../src/kernel/ids.ts';

t.test('UUIDv7 that ascend, also within a millisecond and when the clock steps back', (t) => {
  let now = 1_800_000_000_000;
  const next = createIdSource({ now: () => now }, randomBytes);
  const ids = Array.from({ length: 10_000 }, (_, n) => {
    if (n === 6_000) now -= 5_000;
    return next();
  });
  t.same([...ids].sort(), ids);
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
  t.equal(Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16), 1_800_000_000_000, 'the time is in front');
  t.end();
});

t.test('text in, id or null out', (t) => {
  t.equal(parseId('0189ABCD-0000-7000-8000-00000000000F'), '0189abcd-0000-7000-8000-00000000000f');
  for (const text of ['', 'x', '0189abcd-0000-7000-8000-00000000000', '0189abcd00007000800000000000000f']) {
    t.equal(parseId(text), null, text);
  }
  t.end();
});
