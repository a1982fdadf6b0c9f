import t from 'tap';
import { splitPassages } from '../../../src/documents/passages/split-passages.ts';
import { firstSentence, readHeadings } from '../../../src/documents/passages/summary.ts';

const sentence = (n: number): string => `Sentence number ${n} says what the one before it left out.`;
const paragraph = (sentences: number): string => Array.from({ length: sentences }, (_, n) => sentence(n)).join(' ');

t.test('passages have the path of their headings', (t) => {
  const markdown = [
    'Before any heading.',
    '# Guide',
    'What it is.',
    '## Install',
    '### Linux',
    'Use the package.',
    'Setext heading',
    '---',
    'Below it.',
    '## Use `it` [now](https://x.test)',
    '```',
    '# no heading',
    '```',
  ]
    .join('\n\n')
    .replace('Setext heading\n\n---', 'Setext heading\n---');
  t.same(
    splitPassages(markdown).map(({ heading, text, isLead }) => [heading, text, isLead]),
    [
      ['', 'Before any heading.', true],
      ['Guide', 'What it is.', false],
      ['Guide > Install > Linux', 'Use the package.', false],
      ['Guide > Setext heading', 'Below it.', false],
      ['Guide > Use it now', '```\n\n# no heading\n\n```', false],
    ],
  );
  t.same(readHeadings(markdown), ['Guide', 'Install', 'Linux', 'Setext heading', 'Use it now']);
  t.end();
});

t.test('long text is cut at paragraphs, then at sentences; short ones are joined', (t) => {
  const long = splitPassages(paragraph(100));
  t.ok(long.length > 3);
  for (const { text } of long) {
    t.ok(text.length <= 1_400);
    t.match(text, /out\.$/, 'ends with a sentence');
  }
  t.equal(long.map(({ text }) => text).join(' '), paragraph(100), 'nothing is lost');
  const short = splitPassages(Array.from({ length: 12 }, (_, n) => sentence(n)).join('\n\n'));
  t.equal(short.length, 1);
  const word = splitPassages('x'.repeat(5_000));
  t.same(
    word.map(({ text }) => text.length),
    [1_400, 1_400, 1_400, 800],
  );
  const astral = splitPassages('😀'.repeat(3_000));
  t.ok(astral.every(({ text }) => text.isWellFormed()));
  t.equal(splitPassages(`${paragraph(20)}\n\n`.repeat(3_000)).length, 800, 'bounded');
  t.same(splitPassages(''), []);
  t.end();
});

t.test('the first sentence is prose, without marks', (t) => {
  const table =
    '| a | b |\n| --- | --- |\n\n```\ncode first.\n```\n\n# Title\n\n- **Bold** and [a link](https://x.test). More.';
  t.equal(firstSentence(table), 'Bold and a link. More.');
  t.equal(
    firstSentence('A first sentence that is long enough. A second one.'),
    'A first sentence that is long enough.',
  );
  t.equal(firstSentence(`${'word '.repeat(200)}.`).length <= 240, true);
  t.equal(firstSentence('123 456'), '');
  t.end();
});
