import t from 'tap';
import { isTooDeep, MAX_BODY_DEPTH } from '../../../../src/transports/mcp/body-depth.ts';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

t.test('a body nests so deep and no deeper', (t) => {
  t.notOk(isTooDeep(nested(MAX_BODY_DEPTH)));
  t.ok(isTooDeep(nested(MAX_BODY_DEPTH + 1)));
  t.ok(isTooDeep(nested(100_000)), 'without a stack of its own');
  t.ok(isTooDeep({ a: [1, { b: nested(MAX_BODY_DEPTH) }] }));
  for (const flat of [null, 7, 'x', undefined, Array(100_000).fill({})]) t.notOk(isTooDeep(flat));
  t.end();
});
