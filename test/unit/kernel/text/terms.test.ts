import t from 'tap';
import { stemWord } from '../../../../src/kernel/text/stem.ts';
import { isStopped, termsOf } from '../../../../src/kernel/text/terms.ts';

t.test('stems of the examples of the paper', (t) => {
  const pairs =
    'caresses caress ponies poni ties ti cats cat feed feed agreed agre plastered plaster bled bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional condit rational ration valenci valenc digitizer digit operator oper feudalism feudal decisiveness decis hopefulness hope formaliti formal sensibiliti sensibl triplicate triplic formative form formalize formal electrical electr goodness good revival reviv allowance allow inference infer airliner airlin adjustable adjust replacement replac adoption adopt communism commun activate activ bowdlerize bowdler probate probat rate rate cease ceas controll control roll roll'.split(
      ' ',
    );
  for (let at = 0; at < pairs.length; at += 2) t.equal(stemWord(pairs[at] ?? ''), pairs[at + 1]);
  t.equal(stemWord('größe'), 'größe');
  t.equal(stemWord('by'), 'by');
  t.end();
});

t.test('terms without case, diacritics and endings', (t) => {
  t.same(termsOf('The Connected CONNECTIONS, café-Größe!'), ['the', 'connect', 'connect', 'cafe', 'gross']);
  t.same(termsOf('Żółw ﬁx İstanbul'), ['zolw', 'fix', 'istanbul']);
  t.same(termsOf('東京都の天気 x1'), ['東京', '京都', '都の', 'の天', '天気', 'x1']);
  t.same(termsOf('cafe\u0301s'), termsOf('café'), 'whatever its normal form');
  t.same(termsOf(''), []);
  t.equal(termsOf('x'.repeat(500))[0]?.length, 40);
  t.ok(isStopped('the') && isStopped('what') && !isStopped('ship'));
  t.end();
});
