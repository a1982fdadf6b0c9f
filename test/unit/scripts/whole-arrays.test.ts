import t from 'tap';
import { match } from 'tcompare';

t.test('in a test an array of a pattern is matched whole', (t) => {
  const cases: [unknown, unknown, boolean][] = [
    [[], [], true],
    [[{ a: 1, b: 2 }], [{ a: Number }], true],
    [{ list: [1, 2] }, { list: { 0: 1 } }, true],
    [{ list: [] }, { list: { 0: {} } }, false],
    [{ list: [1] }, { list: [] }, false],
    [{ list: [1, 2] }, { list: [1] }, false],
    [[{ list: [1] }], [{ list: [] }], false],
  ];
  for (const [value, pattern, isMatch] of cases) t.equal(match(value, pattern).match, isMatch, JSON.stringify(pattern));
  t.end();
});
