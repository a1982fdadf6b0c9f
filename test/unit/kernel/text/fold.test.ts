import t from 'tap';
import { foldCase, foldText, wordsOf } from '../../../../src/kernel/text/fold.ts';

t.test('case folds as Unicode has it', (t) => {
  const same: [string, string][] = [
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ÉCOLE', 'e\u0301cole'],
    ['ǅ', 'ǆ'],
    ['ﬁne', 'FIne'],
  ];
  for (const [one, other] of same) t.equal(foldCase(one), foldCase(other), `${one} ${other}`);
  t.not(foldCase('ı'), foldCase('i'), 'the dotless i is a letter of its own');
  t.not(foldCase('resume'), foldCase('résumé'), 'accents stay');
  t.end();
});

t.test('words fold diacritics, strokes, widths and blanks as well', (t) => {
  t.equal(foldText('  Łódź \t Ørsted\u00a0Æon ＡＢＣ '), 'lodz orsted aeon abc');
  t.equal(foldText('İstanbul'), foldText('ISTANBUL'));
  t.same(wordsOf('Anna-Maria anna@x.test, 42 ½ 山田 👍', 10), ['anna', 'maria', 'x', 'test', '42', '1', '2', '山田']);
  t.same(wordsOf('a b c d', 2), ['a', 'b']);
  t.same(wordsOf('x'.repeat(50), 5), ['x'.repeat(40)]);
  t.same(wordsOf('𝐱'.repeat(50), 5), ['x'.repeat(40)]);
  t.same(wordsOf('𠀀'.repeat(50), 5), ['𠀀'.repeat(40)], 'a pair is not cut');
  t.end();
});

t.test('words are found in a long text, up to four times its length once it is folded', (t) => {
  const endOf = (letter: string) => wordsOf(`${`${letter} `.repeat(20_000)}end`, 2_500).at(-1);
  t.equal(endOf('각'), 'end', 'Hangul, three letters for one');
  t.equal(wordsOf(`${'각'.repeat(20_000)} end`, 2_500).at(-1), 'end');
  t.equal(endOf('x'), 'end');
  t.not(endOf('\ufdfa'), 'end', 'a form of 18 characters');
  t.equal(wordsOf('\ufdfa', 10).length, 4, 'one of them is read');
  t.end();
});
