import t from 'tap';
import { type BriefSource, composeBrief } from '../../../src/knowledge/brief.ts';

const page = (n: number) => ({
  title: `Page ${n}`,
  summary: `What page ${n} says.`,
  headings: [`Page ${n}`, 'Usage', 'Limits'],
});
const source = (n: number, pages: number): BriefSource => ({
  title: `Source ${n}`,
  url: `https://s${n}.test/`,
  count: pages,
  pages: Array.from({ length: pages }, (_, at) => page(at)),
});

t.test('a line for each source, then their pages in turn', (t) => {
  t.equal(composeBrief([]), '');
  t.equal(composeBrief([source(1, 0)]), '', 'nothing is indexed yet');
  t.equal(
    composeBrief([source(1, 2), { ...source(2, 1), title: null }]),
    [
      'Source 1 (2 pages): What page 0 says.',
      '- Usage; Limits',
      '- Page 1: What page 1 says.',
      'Page 0: What page 0 says.',
      '- Usage; Limits',
    ].join('\n'),
  );
  t.end();
});

t.test('at most 2 000 characters, whatever there is', (t) => {
  for (const [sources, pages] of [
    [1, 500],
    [200, 1],
    [60, 60],
  ] as const) {
    const brief = composeBrief(Array.from({ length: sources }, (_, n) => source(n, pages)));
    t.ok(brief.length <= 2_000, `${brief.length}`);
    t.ok(brief.length > 1_700);
    t.ok(brief.startsWith('Source 0'));
  }
  const long = composeBrief([{ ...source(1, 1), title: '😀'.repeat(2_000) }]);
  t.ok(long.length <= 2_000 && long.isWellFormed());
  t.end();
});
