import t from 'tap';
import { BoundedMap } from '../../../src/kernel/bounded-map.ts';

t.test('the entry that was set or used longest ago is dropped for a new one', async (t) => {
  const dropped: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => dropped.push(value));
  map.set('a', 1).set('b', 2);
  t.equal(map.use('a'), 1);
  t.equal(map.use('missing'), undefined);
  map.set('c', 3);
  t.same(
    [...map],
    [
      ['a', 1],
      ['c', 3],
    ],
  );
  map.set('a', 4);
  map.set('d', 5);
  t.same([...map.keys()], ['a', 'd'], 'set again, an entry is the newest');
  map.delete('a');
  t.same(dropped, [2, 3], 'what is deleted is not told');
});
