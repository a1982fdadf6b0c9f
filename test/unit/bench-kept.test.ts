/** A whole run of the benches tells what fell. */

import t from 'tap';
import { compareFigures } from '../../scripts/bench/kept.ts';

t.test('a figure that fell by more than a tenth, or is missing, is told', (t) => {
  const kept = { inbound: 2, outbound: 3, gone: 1 };
  t.same(compareFigures({ inbound: 1.81, outbound: 2.69 }, kept).fallen, ['outbound', 'gone']);
  t.same(compareFigures({ inbound: 2.5, outbound: 3, gone: 1, added: 0.1 }, kept).fallen, []);
  t.same(compareFigures({ inbound: Number.NaN, outbound: 3, gone: 1 }, kept).fallen, ['inbound']);
  t.end();
});
