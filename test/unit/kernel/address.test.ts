import t from 'tap';
import { formatNamed, isWithin, parseAddress, parseDomain, parseNamedAddress } from '../../../src/kernel/address.ts';

t.test('addresses', (t) => {
  const good: Record<string, string> = {
    'a@b.test': 'a@b.test',
    'Ann.Lee+tag@Example.COM': 'Ann.Lee+tag@example.com',
    '"odd one"@b.test': '"odd one"@b.test',
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
    `${'x'.repeat(65)}@b.test`,
    `a@${'x.'.repeat(130)}test`,
    'a@b_c/d.test',
    'a\u0000@b.test',
  ];
  for (const text of bad) t.equal(parseAddress(text), null, JSON.stringify(text));
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
