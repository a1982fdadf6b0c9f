/** Input of as many values as a body may have, of which every one is wrong: it is refused at once. */

import t from 'tap';
import { z } from 'zod';
import { toRefusal } from '../../../src/access/invalid-input.ts';
import { withWellFormedText } from '../../../src/access/well-formed-text.ts';
import { prose } from '../../../src/kernel/fields.ts';
import { MAX_JSON_VALUES } from '../../../src/transports/http/json-values.ts';
import { processorMs } from '../../harness/processor-ms.ts';

const MOST_MS = 500;
/** A field with its value counts as four. */
const MOST_FIELDS = MAX_JSON_VALUES / 4;

t.test('texts with half of a character are mended, each once', async (t) => {
  const input = z.strictObject({
    files: z.array(z.strictObject({ name: prose(z.string()) })),
    to: z.array(z.string()),
  });
  const to = ['ann'];
  const value = { files: Array.from({ length: MOST_FIELDS }, () => ({ name: 'a\ud800' })), to };
  const before = processorMs();
  const mended = withWellFormedText(input, value) as typeof value;
  t.ok(processorMs() - before < MOST_MS, 'its time does not grow with the square');
  t.ok(mended.files.every(({ name }) => name === 'a\ufffd'));
  t.equal(mended.to, to);
  t.ok(
    value.files.every(({ name }) => name === 'a\ud800'),
    'the input itself stays',
  );
});

t.test('unknown fields are told, the first of many', async (t) => {
  const input = z.strictObject({ url: z.string().optional(), events: z.string().optional() });
  const value = Object.fromEntries(
    Array.from({ length: MOST_FIELDS }, (_, at) => [`unknown_${at}`.padEnd(60, 'x'), 1]),
  );
  const { error } = input.safeParse(value);
  if (!error) throw new Error('It was not refused.');
  const before = processorMs();
  const { hint } = toRefusal(input, error, value);
  t.ok(processorMs() - before < MOST_MS);
  t.match(hint, /^There is no field `unknown_0x+`, .*there are `url`, `events`\.$/);
  t.ok(hint.length < 2_000, hint.slice(0, 200));
});
