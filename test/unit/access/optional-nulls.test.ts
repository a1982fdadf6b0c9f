import t from 'tap';
import { z } from 'zod';
import { withoutOptionalNulls } from '../../../src/access/optional-nulls.ts';

const schema = z.strictObject({
  needed: z.string(),
  left: z.string().optional(),
  filled: z.string().default('x'),
  cleared: z.string().nullable().optional(),
  items: z.array(z.strictObject({ needed: z.int(), left: z.int().optional() })).optional(),
});
const parse = (value: unknown) => schema.safeParse(withoutOptionalNulls(schema, value));

t.test('null is as good as nothing where a field may be left out, and a value where it is one', (t) => {
  t.same(parse({ needed: 'a', left: null, filled: null, cleared: null, items: [{ needed: 1, left: null }] }).data, {
    needed: 'a',
    filled: 'x',
    cleared: null,
    items: [{ needed: 1 }],
  });
  for (const wrong of [
    { needed: null },
    { needed: 'a', other: null },
    { needed: 'a', items: [null] },
    null,
    [null],
    'x',
  ]) {
    t.notOk(parse(wrong).success, JSON.stringify(wrong));
  }
  t.same(parse(JSON.parse('{"needed":"a","__proto__":null}')).success, false);
  t.end();
});

t.test('what no schema describes is not copied, however much it is', (t) => {
  const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, null]));
  t.equal(withoutOptionalNulls(z.record(z.string(), z.unknown()), value), value);
  t.equal(withoutOptionalNulls(schema, value), value, 'unknown fields alone');
  const given = Object.freeze({ needed: 'a', left: null, ...value });
  t.same(withoutOptionalNulls(schema, given), { needed: 'a', ...value }, 'the input stays as it is');
  t.end();
});
