import t from 'tap';
import { foldText } from '../../../../src/kernel/text/fold.ts';
import { toNormalForm } from '../../../../src/kernel/text/normal-form.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;
/** The largest text that an operation takes. */
const LENGTH = 1_000_000;

t.test('usual text has the form that Unicode gives it', (t) => {
  const marks = '\u0301\u0316'.repeat(15);
  for (const text of [
    '',
    'Straße',
    'e\u0316\u0301',
    'ﬁne ＡＢＣ ｶﾞ',
    '한국어',
    `a${marks}`,
    `${`e${marks} `.repeat(9)}`,
  ]) {
    for (const form of FORMS) t.equal(toNormalForm(text, form), text.normalize(form), `${form} of ${text}`);
  }
  t.end();
});

t.test('a run of marks of any length takes linear time', (t) => {
  for (const pair of ['\u0301\u0316', '\uff9e\u0316', '\u0f73\u0f71']) {
    const text = `a${pair.repeat(LENGTH / 2)}`;
    const before = processorMs();
    t.equal(foldText(text), 'a');
    t.ok(processorMs() - before < 5_000, 'minutes by the engine alone');
  }
  const text = `a${'\u0301\u0316'.repeat(LENGTH / 2)}`;
  t.equal(toNormalForm(toNormalForm(text, 'NFC'), 'NFC'), toNormalForm(text, 'NFC'), 'and is the same when done again');
  t.end();
});
