import t from 'tap';
import { z } from 'zod';
import { bareSchema, childOf, fieldsOf, itemOf, pickAll, pickLayer } from '../../../src/kernel/schema-walk.ts';

const marked = z.string();
const list = z.array(z.object({ text: marked.nullable(), name: z.string() })).default([]);
const schema = z.object({ list: list.optional(), at: marked, others: z.record(z.string(), z.int()) });
const isMarked = (layer: z.ZodType) => (layer === marked ? true : undefined);

t.test('what is marked is found behind wrappers, fields and items', async (t) => {
  t.same(pickAll(schema, isMarked), [
    { path: ['list', '*', 'text'], picked: true },
    { path: ['at'], picked: true },
  ]);
  t.same(pickAll(marked, isMarked), [{ path: [], picked: true }]);
  t.same(pickAll(z.int(), isMarked), []);
});

t.test('a mark on a wrapper ends the walk there', async (t) => {
  const outer = marked.nullable();
  t.same(
    pickAll(z.object({ a: outer }), (layer) => (layer === outer ? 'outer' : layer === marked ? 'inner' : undefined)),
    [{ path: ['a'], picked: 'outer' }],
  );
  t.equal(pickLayer(outer, isMarked), true);
});

t.test('steps to fields, items and values of a record', async (t) => {
  t.equal(childOf(schema, 'at'), marked);
  t.equal(childOf(schema, 'toString'), undefined);
  t.equal(childOf(schema.shape.others, 'any'), schema.shape.others.valueType);
  t.equal(childOf(list, 0), itemOf(list));
  t.same(Object.keys(fieldsOf(itemOf(list) ?? z.never())), ['text', 'name']);
  t.same(fieldsOf(marked), {});
  t.equal(itemOf(schema), undefined);
  t.equal(bareSchema(list.optional()), list.unwrap());
});
