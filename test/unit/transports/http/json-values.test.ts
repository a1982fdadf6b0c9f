import t from 'tap';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../../../src/transports/http/json-values.ts';

const isRefused = (text: string): boolean => hasTooManyValues(Buffer.from(text));

t.test('values are counted, whatever they are', async (t) => {
  for (const value of ['[]', '{}', '1', 'null', '""', '{"a":1}']) {
    t.equal(isRefused(`[${`${value},`.repeat(MAX_JSON_VALUES)}1]`), true, value);
  }
  t.equal(isRefused('['.repeat(MAX_JSON_VALUES + 1)), true, 'and what is no JSON at all');
  t.equal(isRefused(' '.repeat(5 * 1024 * 1024)), true, 'or says nothing');
  t.equal(isRefused(`"${'\\"'.repeat(1_100_000)}"`), true, 'or has a string of quotes');
  t.equal(isRefused(`[${'1,'.repeat(50_000)}1]`), false);
});

t.test('what stands in a string is none', async (t) => {
  const commas = ','.repeat(2 * MAX_JSON_VALUES);
  for (const text of [`"${commas}"`, `"\\"${commas}"`, `"${commas}\\\\"`, `"\\\\\\"${commas}"`, `"open ${commas}`]) {
    t.equal(isRefused(`{"a":${text}`), false, text.slice(0, 8));
  }
  t.equal(isRefused(`{"a":"\\\\"${commas}`), true, 'behind its end they count');
});
