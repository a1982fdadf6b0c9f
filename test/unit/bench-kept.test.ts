/** A whole run of the benches tells what fell. */

import t from 'tap';
import { compareFigures } from '../../scripts/bench/kept.ts';

t.test('a figure that fell by more than a tenth, or is missing, is told', (t) => {
  const kept = { inbound: 2, outbound: 3, gone: 1, time: 10 };
  const figuresOf = (values: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        { value, goal: 2, ...(name === 'time' && { isLessBetter: true as const }) },
      ]),
    );
  const fallenOf = (values: Record<string, number>) => compareFigures(figuresOf(values), kept).fallen;
  t.same(fallenOf({ inbound: 1.81, outbound: 2.69, time: 11.1 }), ['outbound', 'gone', 'time']);
  t.same(fallenOf({ inbound: 2.5, outbound: 3, gone: 1, time: 10.9, added: 0.1 }), []);
  t.same(fallenOf({ inbound: Number.NaN, outbound: 3, gone: 1, time: 1 }), ['inbound']);
  t.same(
    compareFigures(figuresOf({ inbound: 2.5, time: 1 }), {}).table.rows.map((row) => row.slice(1, 4)),
    [
      [2.5, '≥ 2', 'met'],
      [1, '≤ 2', 'met'],
    ],
  );
  t.end();
});
