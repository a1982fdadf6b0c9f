/** No field beyond the contract goes out, at any depth. */

import t from 'tap';
import { z } from 'zod';
import { shapeOutput } from '../../../src/access/output-shape.ts';

const hash = 'never shown';

t.test('only what the contract names goes out', (t) => {
  const inner = z.object({ name: z.string(), note: z.string().nullable().optional() });
  const schema = z.object({
    list: z.array(inner),
    maybe: inner.nullable(),
    either: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), x: z.number() }),
      z.object({ kind: z.literal('b') }),
    ]),
    named: z.record(z.string(), inner),
    open: z.record(z.string(), z.unknown()),
    trimmed: z.string().trim(),
    absent: z.string().optional(),
  });
  const one = { name: 'n', note: null, hash };
  const given = {
    list: [one, { name: 'm', hash }],
    maybe: one,
    either: { kind: 'a', x: 1, hash },
    named: { k: one },
    open: { any: [1] },
    trimmed: ' t ',
    hash,
  };
  const shaped = shapeOutput(schema, given);
  t.same(shaped, schema.parse(given));
  t.notMatch(JSON.stringify(shaped), hash);
  t.same(shapeOutput(schema, { ...given, maybe: null }), schema.parse({ ...given, maybe: null }));
  t.end();
});

t.test('an object that takes more than it names is parsed', (t) => {
  const loose = z.object({ a: z.string() }).catchall(z.number());
  t.same(shapeOutput(loose, { a: 'x', b: 2 }), { a: 'x', b: 2 });
  t.throws(() => shapeOutput(loose, { a: 'x', b: 'no' }));
  t.throws(() => shapeOutput(z.strictObject({ a: z.string() }), { a: 'x', b: 2 }));
  t.end();
});
