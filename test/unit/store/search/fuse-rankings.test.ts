import t from 'tap';
import { fuseRankings } from '../../../../src/store/search/passages/fuse-rankings.ts';

t.test('what both rankings have goes before what one has; of equal ranks the first ranking leads', (t) => {
  const keys = fuseRankings([
    ['a', 'b', 'c'],
    ['d', 'c'],
  ]).map(({ key }) => key);
  t.same(keys, ['c', 'a', 'd', 'b']);
  t.same(fuseRankings([[], []]), []);
  t.ok(fuseRankings([['a'], ['a']]).every(({ score }) => Math.abs(score - 2 / 61) < 1e-9));
  t.end();
});
