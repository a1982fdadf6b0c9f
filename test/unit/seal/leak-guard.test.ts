import { randomBytes } from 'node:crypto';
import t from 'tap';
import { LeakSearch, toLeakIndex } from '../../../src/seal/leak-index.ts';
import { leakKeys, leakPatterns } from '../../../src/seal/leak-patterns.ts';
import { leakViews } from '../../../src/seal/leak-views.ts';
import { processorMs } from '../../harness/processor-ms.ts';

const KEYS = leakKeys(randomBytes(32));

const indexOf = (...values: string[]) =>
  toLeakIndex(
    KEYS,
    values.flatMap((value, secret) => leakPatterns(KEYS, value).map((pattern) => ({ ...pattern, secret }))),
  );

/** Finds the numbers of the values that a text holds. */
const finder = (...values: string[]) => {
  const search = new LeakSearch(indexOf(...values));
  return (text: string | Uint8Array): number[] => {
    const found = new Set<number>();
    for (const view of leakViews(typeof text === 'string' ? Buffer.from(text) : text)) {
      search.find(view, found);
    }
    return [...found].sort((a, b) => a - b);
  };
};

const searcher = (...values: string[]) => {
  const find = finder(...values);
  return (text: string | Uint8Array): boolean => find(text).length > 0;
};

const quotedPrintable = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

const every = (text: string, size: number, between: string): string =>
  text.match(new RegExp(`.{1,${size}}`, 'gsu'))?.join(between) ?? '';

const VALUES: readonly string[] = [
  'hunter2hunter2',
  'sk_live_51H8xAbCdEf/GhIj+KlMnOp==',
  'correct horse battery staple',
  'pä55wörd-ünïcödé',
  'aaaaaaaaaaaa',
  '12345678',
  'a%20b+c=d&e?f#g',
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nAAAAtzc2gtZWQyNTUxOQ\n-----END-----\n',
  randomBytes(48).toString('base64'),
  randomBytes(48).toString('base64url'),
  '\u{1f511}\u{1f511}\u{1f511}',
  'x'.repeat(5_000) + randomBytes(8).toString('hex'),
];

t.test('each form of a value is found, wherever it begins', (t) => {
  for (const value of VALUES) {
    const holds = searcher(value);
    const url = encodeURIComponent(value);
    const forms: Record<string, string> = {
      'as it is': value,
      'over lines': every(value, 7, '\n'),
      'over lines of CRLF, quoted': every(value, 20, '\r\n'),
      'with blanks and tabs': every(value, 5, ' \t'),
      'URL-encoded': url,
      'URL-encoded in lower case': url.replace(/%../g, (code) => code.toLowerCase()),
      'URL-encoded throughout': quotedPrintable(value).replaceAll('=', '%'),
      'as a form': new URLSearchParams({ value }).toString(),
      'quoted-printable': every(quotedPrintable(value), 75, '=\r\n'),
      'in hexadecimal': Buffer.from(value).toString('hex'),
      'in hexadecimal with colons': every(Buffer.from(value).toString('hex').toUpperCase(), 2, ':'),
      'as JSON escapes': [...value]
        .map((c) =>
          [...Array(c.length).keys()].map((at) => `\\u${c.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
        )
        .join(''),
      'as character references': [...value].map((c) => `&#x${c.codePointAt(0)?.toString(16)};`).join(''),
      'URL-encoded twice': encodeURIComponent(encodeURIComponent(value)),
      ...(/[\w]{8}/.test(value) && { 'in capitals': value.toUpperCase(), 'with hyphens': every(value, 1, '-') }),
      'with soft line breaks': /=/.test(value) ? value : every(value, 6, '=\r\n'),
    };
    for (const [name, form] of Object.entries(forms)) {
      t.ok(holds(form), `${name}: ${value.slice(0, 20)}`);
      t.ok(holds(`Some words before it, ${form} and some behind.`), `within a text, ${name}: ${value.slice(0, 20)}`);
    }
    for (let before = 0; before < 7; before += 1) {
      const whole = Buffer.concat([randomBytes(before), Buffer.from(value), randomBytes(before % 4)]);
      t.ok(holds(whole.toString('base64')), `base64 behind ${before} bytes`);
      t.ok(holds(every(whole.toString('base64'), 76, '\r\n')), `base64 in lines behind ${before} bytes`);
      t.ok(holds(whole.toString('base64url')), `base64url behind ${before} bytes`);
      t.ok(holds(whole), `as bytes behind ${before} bytes`);
    }
  }
  t.end();
});

t.test('each value is told apart, those with the same windows and those that hold one another too', (t) => {
  const find = finder('hunter2hunter2', 'hunter2hunter2hunter2', 'correct horse', 'hunter2hunter2');
  t.same(find('hunter2hunter2'), [0, 3]);
  t.same(find('hunter2hunter2hunter2, correct'), [0, 1, 3]);
  t.same(find(`correct horse and ${Buffer.from('hunter2hunter2').toString('base64')}`), [0, 2, 3]);
  t.same(find('nothing of it'), []);
  t.end();
});

t.test('what only resembles a value is not', (t) => {
  const holds = searcher(...VALUES);
  for (const text of [
    '',
    'hunter2',
    'hunter2hunter',
    'unter2hunter2',
    'correct horse battery stapl',
    'aaaaaaaaaa',
    '1234567',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END-----\n',
    Buffer.from('hunter2hunter').toString('base64'),
    `x${'y'.repeat(100_000)}`,
  ]) {
    t.notOk(holds(text), text.slice(0, 40));
  }
  t.end();
});

t.test('a value that is short, or none at all, is not looked for', (t) => {
  t.same(leakPatterns(KEYS, 'secret7'), []);
  t.same(leakPatterns(KEYS, ' 1 2 3 4 5 6 7 '), [], 'blanks do not count');
  t.notOk(searcher()('anything at all'));
  t.end();
});

t.test('among many values, with none in common memory', (t) => {
  const values = Array.from({ length: 1_000 }, () => randomBytes(20).toString('base64'));
  const index = indexOf(...values);
  const bytes = Buffer.from(new Uint8Array(index));
  const search = new LeakSearch(index);
  for (const value of values.slice(0, 100)) {
    t.notOk(bytes.includes(value) || bytes.includes(Buffer.from(value).toString('base64').slice(0, 16)));
    const found = new Set<number>();
    search.find(Buffer.from(`key=${value}.`), found);
    t.same([...found], [values.indexOf(value)]);
  }
  const found = new Set<number>();
  search.find(Buffer.from(randomBytes(50_000).toString('base64')), found);
  t.equal(found.size, 0);
  t.end();
});

t.test('without the key a fingerprint says nothing: another key has none in common', (t) => {
  const [one, other] = [leakKeys(randomBytes(32)), leakKeys(randomBytes(32))];
  const [mine, yours] = [leakPatterns(one, 'hunter2hunter2'), leakPatterns(other, 'hunter2hunter2')];
  for (const [at, pattern] of mine.entries()) {
    t.not(pattern.windowHash, yours[at]?.windowHash);
    t.not(pattern.wholeHash, yours[at]?.wholeHash);
    t.notSame(pattern.mac, yours[at]?.mac);
  }
  t.end();
});

t.test('text made to be costly is not: repeated windows, repeated values, beginnings of keys', (t) => {
  const pem = (body: string) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;
  const values = ['ab'.repeat(2_000), ...Array.from({ length: 200 }, () => pem(randomBytes(1_000).toString('base64')))];
  const holds = searcher(...values);
  const texts = [
    'ab'.repeat(1_999).concat('c').repeat(250),
    pem('A'.repeat(500)).repeat(1_500),
    '\n'.repeat(1_000_000),
  ];
  const held = 'ab'.repeat(500_000);
  const begin = processorMs();
  for (const text of texts) t.notOk(holds(text));
  t.ok(holds(held), 'found at every second byte, compared once');
  const ms = processorMs() - begin;
  t.ok(ms < 2_000, `${Math.round(ms)} ms of CPU for 4 MB`);
  t.end();
});
