import t from 'tap';
import {
  type Address,
  addressKey,
  formatNamed,
  isWithin,
  parseAddress,
  parseDomain,
  parseNamedAddress,
  parseReceivedAddress,
} from '../../../src/kernel/address.ts';
import { processorMs } from '../../harness/processor-ms.ts';

t.test('addresses', (t) => {
  const good: Record<string, string> = {
    'a@b.test': 'a@b.test',
    'Ann.Lee+tag@Example.COM': 'Ann.Lee+tag@example.com',
    '"odd one"@b.test': '"odd one"@b.test',
    '"odd\\ one"@b.test': '"odd one"@b.test',
    '"a\\"b"@b.test': '"a\\"b"@b.test',
    '"ann"@b.test': 'ann@b.test',
    '"a\\nn.lee"@b.test': 'ann.lee@b.test',
    '"ann@c.test"@b.test': '"ann@c.test"@b.test',
    '".ann"@b.test': '".ann"@b.test',
    '""@b.test': '""@b.test',
    'user@bücher.test': 'user@xn--bcher-kva.test',
    'jürgen@b.test': 'jürgen@b.test',
    'root@localhost': 'root@localhost',
  };
  for (const [text, expected] of Object.entries(good)) t.equal(parseAddress(text), expected, text);
  const bad = [
    '',
    '@',
    'a@',
    '@b.test',
    'a b@c.test',
    'a@b..test',
    'a@-b.test',
    'a@b.test\r\nRCPT TO:<x@y>',
    'a..b@c.test',
    '.a@c.test',
    'a@[127.0.0.1]',
    'a@1.2.3.4',
    `${'x'.repeat(248)}@b.test`,
    `a@${'x.'.repeat(130)}test`,
    'a@b_c/d.test',
    'a\u0000@b.test',
  ];
  for (const text of bad) t.equal(parseAddress(text), null, JSON.stringify(text));
  t.equal(addressKey('"An\\N"@b.test' as Address), 'ann@b.test', 'one that was stored as it was written');
  t.equal(addressKey('"A b"@b.test' as Address), '"a b"@b.test');
  t.end();
});

t.test('addresses with names', (t) => {
  t.same(parseNamedAddress('Ann <a@b.test>'), { name: 'Ann', address: 'a@b.test' });
  t.same(parseNamedAddress(' "Lee, Ann" <a@b.test> '), { name: 'Lee, Ann', address: 'a@b.test' });
  t.same(parseNamedAddress('<a@b.test>'), { name: null, address: 'a@b.test' });
  t.same(parseNamedAddress('a@b.test'), { name: null, address: 'a@b.test' });
  for (const text of [
    'Ann',
    'Ann <>',
    'Ann <a@b.test> more',
    'Ann\r\nBcc: x@y.test <a@b.test>',
    'a@b.test, c@d.test',
  ]) {
    t.equal(parseNamedAddress(text), null, JSON.stringify(text));
  }
  const ann = parseNamedAddress('"Ann" <a@b.test>');
  t.equal(ann && formatNamed(ann), 'Ann <a@b.test>');
  t.end();
});

const MISLEADING = [
  '\u202emoc.knab',
  'b\u200boss',
  'bo\u00adss',
  'bo\u2066ss',
  'bo\u200dss',
  'boss\u3164',
  'boss\u2800',
  'boss\u2003',
  'boss\u2028',
  'bo\ufe0fss',
  'boss\u{e0041}',
  'boss\ue000',
  'boss\uffff',
  'bo\ud800ss',
  '"bo\u202ess"',
];

t.test('dots where none may be, as Japanese carriers gave them out, are quoted in received mail', (t) => {
  for (const local of ['a..b', 'a.', '.a', 'a.b..']) {
    t.equal(parseReceivedAddress(`${local}@docomo.test`), `"${local}"@docomo.test`);
    t.equal(parseAddress(`"${local}"@docomo.test`), `"${local}"@docomo.test`, 'which can be answered');
    t.equal(parseAddress(`${local}@docomo.test`), null, 'who sends to one has mistyped it');
  }
  for (const text of ['a@b..test', 'a b.@c.test', '@b.test', `${'.'.repeat(250)}@b.test`]) {
    t.equal(parseReceivedAddress(text), null, text);
  }
  t.end();
});

t.test('an address is taken without what a paste leaves around it', (t) => {
  for (const text of [
    '\u202aann@b.test\u202c',
    '\u200bann@b.test',
    ' ann@b.test\u200b ',
    '<\ufeffann@b.test\u2060>\u00a0',
  ]) {
    t.same(parseNamedAddress(text), { name: null, address: 'ann@b.test' }, escape(text));
  }
  for (const text of ['\u202eann@b.test', 'ann@b.test\u0000', 'an\u200bn@b.test']) {
    t.equal(parseNamedAddress(text), null, escape(text));
  }
  const before = processorMs();
  for (let n = 0; n < 100; n += 1) t.ok(parseNamedAddress(`a${' '.repeat(10_000)}b <ann@b.test>`));
  t.ok(processorMs() - before < 500, 'blanks within a name are read once');
  t.end();
});

t.test('an address that reads as another is none, and is kept as it came in a header', (t) => {
  for (const local of MISLEADING) {
    const text = `${local}@ssob.test`;
    t.equal(parseAddress(text), null, escape(text));
    t.equal(parseNamedAddress(`Ann <${text}>`), null, escape(text));
    const received = parseReceivedAddress(text);
    t.equal(received, text.replace(/"/g, ''), escape(text));
    const shown = formatNamed({ name: 'Ann', address: received as Address });
    t.match(shown, /^"?Ann"? <.*\[U\+[0-9A-F]{4,5}\].*@ssob\.test>$/, shown);
    t.equal(parseNamedAddress(shown), null, 'and what is shown is no address');
  }
  t.equal(
    formatNamed({ name: null, address: parseReceivedAddress('\u202emoc.knab@ssob.xyz') as Address }),
    '[U+202E]moc.knab@ssob.xyz',
  );
  t.equal(formatNamed({ name: 'A\u202en\u200bn\ufeff', address: 'a@b.test' as Address }), 'Ann <a@b.test>');
  for (const text of ['b\u043ess@b.test', 'कमल@b.test', '\u{1f600}@b.test', '"b oss"@b.test']) {
    t.equal(parseAddress(text), text, text);
  }
  t.equal(parseAddress('ju\u0308rgen@b.test'), 'j\u00fcrgen@b.test');
  t.equal(addressKey('ju\u0308rgen@b.test' as Address), 'j\u00fcrgen@b.test');
  t.end();
});

t.test('a name is shown so that it cannot be taken for an address', (t) => {
  const address = 'x@evil.test' as Address;
  const shown: Record<string, string> = {
    'Ann Lee': 'Ann Lee <x@evil.test>',
    'John Q. Public': 'John Q. Public <x@evil.test>',
    'Lee, Ann': '"Lee, Ann" <x@evil.test>',
    'say "hi" \\o/': '"say \\"hi\\" \\\\o/" <x@evil.test>',
    'CEO <ceo@bank.test>': 'CEO <x@evil.test>',
    'ceo@bank.test': 'x@evil.test',
    '"ceo"@bank.test': '"\\"ceo\\"" <x@evil.test>',
    'ceo @ bank.test': 'x@evil.test',
    'ceo\uff20bank.test (CEO)': '"(CEO)" <x@evil.test>',
    'CEO via ceo@bank.test, Bank': '"CEO via , Bank" <x@evil.test>',
    'Bob @ Work': '"Bob @ Work" <x@evil.test>',
    日本: '日本 <x@evil.test>',
  };
  for (const [name, expected] of Object.entries(shown)) {
    t.equal(formatNamed({ name, address }), expected, name);
    t.equal(parseNamedAddress(expected)?.address, address, 'and is read back');
  }
  const hard = { name: 'a "b" \\ <c>', address };
  t.same(parseNamedAddress(formatNamed(hard)), hard);
  t.end();
});

t.test('the names of a mail are shown in bounded time', (t) => {
  const name = `${'a'.repeat(252)} ＠`;
  const before = processorMs();
  for (let n = 0; n < 1_000; n += 1) formatNamed({ name, address: 'carol@remote.test' as Address });
  t.ok(processorMs() - before < 500);
  t.end();
});

t.test('domains', (t) => {
  t.equal(parseDomain('Example.COM.'), 'example.com');
  t.equal(parseDomain('localhost'), null, 'a label alone is none where two are wanted');
  t.equal(parseDomain('localhost', 1), 'localhost');
  for (const text of ['', '.', 'a..b', '10.0.0.1', '0x7f.1', 'a b.test', 'http://x.test', 'x.test/path', 'x.test:25']) {
    t.equal(parseDomain(text), null, text);
  }
  t.ok(isWithin('a.b.test', 'b.test'));
  t.ok(isWithin('b.test', 'b.test'));
  t.notOk(isWithin('ab.test', 'b.test'));
  t.end();
});
