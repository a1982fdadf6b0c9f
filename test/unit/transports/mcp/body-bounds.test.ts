import t from 'tap';
import { isNameTooLong, isTooDeep, MAX_BODY_DEPTH, MAX_NAME } from '../../../../src/transports/mcp/body-bounds.ts';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

t.test('a body nests so deep and no deeper', (t) => {
  t.notOk(isTooDeep(nested(MAX_BODY_DEPTH)));
  t.ok(isTooDeep(nested(MAX_BODY_DEPTH + 1)));
  t.ok(isTooDeep(nested(100_000)), 'without a stack of its own');
  t.ok(isTooDeep({ a: [1, { b: nested(MAX_BODY_DEPTH) }] }));
  for (const flat of [null, 7, 'x', undefined, Array(100_000).fill({})]) t.notOk(isTooDeep(flat));
  t.end();
});

t.test('what a message calls has a name of bounded length', (t) => {
  const [most, long] = [MAX_NAME, MAX_NAME + 1].map((length) => 'x'.repeat(length));
  for (const body of [
    { method: long },
    { params: { name: long } },
    { params: { uri: long } },
    [{}, { method: long }],
  ]) {
    t.ok(isNameTooLong(body));
  }
  const fits = { method: most, params: { name: most, uri: most, arguments: { name: long } } };
  for (const body of [fits, [fits, fits], { params: null }, [null, 1], null, undefined, 'x', long]) {
    t.notOk(isNameTooLong(body));
  }
  t.end();
});
