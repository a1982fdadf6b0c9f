import t from 'tap';
import { formatMediaType, parseMediaType } from '../../../src/kernel/media-type.ts';
import { processorMs } from '../../harness/processor-ms.ts';

const again = (text: string): string | null => {
  const read = parseMediaType(text);
  return read && formatMediaType(read);
};

t.test('a media type and what it says beside', (t) => {
  for (const [text, tidy] of [
    ['text/plain', 'text/plain'],
    ['TEXT/Calendar;METHOD=request ; charset="utf-8"', 'text/calendar; method=request; charset=utf-8'],
    ['a/b; x="c; \\"d\\""', 'a/b; x="c; \\"d\\""'],
    ['a/b; x=""', 'a/b; x=""'],
    [`a/b; long=${'x'.repeat(201)}; y=z`, 'a/b; y=z'],
  ] as const) {
    t.equal(again(text), tidy, text);
  }
  t.end();
});

t.test('what is none', (t) => {
  for (const text of [
    '',
    'text',
    'text/',
    '/x',
    'a/b;',
    'a/b; x',
    'a/b; x=',
    'a/b; x="',
    'a/b c',
    'a/b\r\nX: y',
    'a/b; x="\n"',
    'a/é',
  ]) {
    t.equal(parseMediaType(text), null, JSON.stringify(text));
  }
  t.equal(
    formatMediaType({
      type: 'a/b',
      parameters: [
        ['x', 'a\r\nb'],
        ['y\n', 'c'],
        ['z', 'ü'],
      ],
    }),
    'a/b',
  );
  t.end();
});

t.test('is read in time that grows with its length', (t) => {
  const begin = processorMs();
  for (const text of [
    `a/b; x="${'\\\\'.repeat(50_000)}`,
    `a/b${'; x=y'.repeat(20_000)}`,
    `a/b;${' '.repeat(50_000)}!`,
  ]) {
    parseMediaType(text);
  }
  t.ok(processorMs() - begin < 1_000);
  t.end();
});
