import t from 'tap';
import { readSlices, toSlices } from '../../../src/contacts/slices.ts';

t.test('items come back in slices, in their order', async (t) => {
  const items = ['a', '\n', 'ü🙂', { b: null }, [1]];
  t.same([...readSlices(toSlices(items, 2))], [items.slice(0, 2), items.slice(2, 4), items.slice(4)]);
  t.same([...readSlices(toSlices(items, 5))], [items]);
  t.same([...readSlices(toSlices([], 5))], []);
});

t.test('a slice ends before it is too long to be stored at once', async (t) => {
  const items = Array.from({ length: 9 }, () => 'x'.repeat(10_000));
  t.same([...readSlices(toSlices(items, 100))], [items.slice(0, 3), items.slice(3, 6), items.slice(6)]);
  const long = ['x'.repeat(100_000), 'y', 'z'];
  t.same([...readSlices(toSlices(long, 100))], [long.slice(0, 1), long.slice(1)]);
});

t.test('a slice is parsed when it is asked for', async (t) => {
  const slices = toSlices([1, 2], 1);
  const reading = readSlices(slices);
  t.same(reading.next().value, [1]);
  slices[4] = 0x33;
  slices[5] = 0x33;
  t.same(new TextDecoder().decode(slices), '[1]\n33]\n');
  t.throws(() => reading.next());
});
