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
