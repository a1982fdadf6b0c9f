/** Lengths and numbers of what comes from outside: each is met from both sides. */

import t from 'tap';
import { parseAddress, parseDomain } from '../../../src/kernel/address.ts';
import { formatMediaType } from '../../../src/kernel/media-type.ts';
import { parseProperty } from '../../../src/kernel/text/content-line.ts';
import { queryWords } from '../../../src/kernel/text/query-words.ts';

const domainOf = (octets: number) => `${'a.'.repeat(200).slice(0, octets - 2)}bc`;

t.test('an address', async (t) => {
  t.equal(parseDomain(domainOf(253))?.length, 253);
  t.equal(parseDomain(domainOf(255)), null);
  t.ok(parseAddress(`${'l'.repeat(247)}@x.test`));
  t.equal(parseAddress(`${'l'.repeat(248)}@x.test`), null);
  t.equal(parseAddress(`${'é'.repeat(124)}@x.test`), null, 'octets count');
  t.equal(parseAddress(`ab@${domainOf(251)}`)?.length, 254);
  t.equal(parseAddress(`abc@${domainOf(251)}`), null);
});

t.test('a media type', async (t) => {
  const parameters = Array.from({ length: 30 }, (_, at): [string, string] => [`p${at}`, 'v']);
  t.equal(formatMediaType({ type: 'a/b', parameters }).split('; ').length, 1 + 20);
  t.equal(formatMediaType({ type: 'a/b', parameters: [['p', 'v'.repeat(201)]] }), 'a/b');
  t.equal(formatMediaType({ type: `a/${'b'.repeat(300)}`, parameters: [] }).length, 255);
});

t.test('a content line', async (t) => {
  const property = parseProperty(`N${Array.from({ length: 60 }, (_, at) => `;P${at}=v`).join('')}:x`);
  t.equal(property?.parameters.size, 50);
  t.match(parseProperty(`N;P=${'v'.repeat(4_000)}:x`), { value: 'x' });
  t.equal(parseProperty(`N;P=${'v'.repeat(4_096)}:x`), null);
});

t.test('words of a search', async (t) => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');
  t.equal(queryWords(words(10)).length, 10);
  t.throws(() => queryWords(words(11)), { code: 'invalid_request', hint: 'Search for at most 10 words.' });
});
