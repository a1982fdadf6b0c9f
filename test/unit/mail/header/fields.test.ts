import t from 'tap';
import { readAddressList } from '../../../../src/mail/header/address-list.ts';
import { encodeField, withAsciiHeader } from '../../../../src/mail/header/ascii-field.ts';
import { decodeWords, encodeWords, oneLine } from '../../../../src/mail/header/encoded-words.ts';
import { readField } from '../../../../src/mail/header/header-section.ts';
import { readMessageId, readReferences } from '../../../../src/mail/header/message-ids.ts';

t.test('adjacent encoded words: a character over two of one charset, and each charset for its own', async (t) => {
  t.equal(decodeWords('=?utf-8?Q?=C3?= =?UTF-8?Q?=A9?='), 'é');
  t.equal(decodeWords('=?iso-8859-1?Q?=E9?= =?utf-8?Q?=C3=A9?= =?utf-8?B?w6k=?='), 'ééé');
  t.equal(decodeWords('=?utf-8*fr?Q?a_b?= c =?utf-8?q?=3D=4?='), 'a b c ==4');
});

t.test('encoded words have 75 characters at most, and whole characters', async (t) => {
  const text = 'Grüße 👍🏽 '.repeat(20);
  const words = encodeWords(text).split(' ');
  for (const word of words) t.ok(word.length <= 75);
  t.equal(words.map((word) => decodeWords(word)).join(''), text);
});

t.test('one line: blanks folded, cut between characters', async (t) => {
  t.equal(oneLine(' a  b\r\n\tc\u2028d ', 20), 'a b c d');
  t.equal(oneLine('ab👍', 3), 'ab');
  t.equal(oneLine('abc  d', 4), 'abc');
});

t.test('a list of addresses is bounded, and an address that is an encoded word is none', async (t) => {
  const list = (length: number) => Array.from({ length }, (_, at) => `a${at}@b.de`).join(', ');
  t.match(readAddressList(list(1_000)), { malformed: false, addresses: { length: 1_000 } });
  t.match(readAddressList(list(1_001)), { malformed: true, addresses: { length: 1_000 } });
  t.match(readAddressList(`a@b.de, ${'x'.repeat(2 ** 17)} <c@d.de>`), { malformed: true });
  t.match(readAddressList('=?utf-8?Q?a=40b.de?=, =?utf-8?Q?c=40d.de?=, e@f.de'), {
    malformed: true,
    addresses: [{ address: 'e@f.de' }],
  });
  t.match(readAddressList('=?utf-8?Q?Doe=2C_=3Cx=40y.de=3E?= <a@b.de>'), {
    malformed: false,
    addresses: [{ name: 'Doe, <x@y.de>', address: 'a@b.de' }],
  });
});

t.test('a source route is one address, and a second address behind it is seen', async (t) => {
  t.match(readAddressList('<@x.de,@y.de:a@b.de>'), { malformed: false, addresses: [{ address: 'a@b.de' }] });
  t.match(readAddressList('<@x.de,@y.de:a@b.de> <c@d.de>'), { malformed: true });
});

t.test('identifiers: the last 50 references, and no more octets than a line', async (t) => {
  const ids = Array.from({ length: 80 }, (_, at) => `<${at}@x>`);
  t.same(readReferences(ids.join(' ')), ids.slice(-50));
  t.equal(readMessageId(`<${'é'.repeat(600)}@x>`), null);
  t.equal(readMessageId('no brackets @x'), '<nobrackets@x>');
  t.equal(readMessageId('a'.repeat(5_000))?.length, 998);
});

t.test('a field as ASCII', async (t) => {
  const encoded = (line: string) => {
    const field = readField(Buffer.from(line).toString('latin1'));
    return field && encodeField(field);
  };
  t.equal(encoded('Subject: plain'), 'Subject: plain\r\n');
  t.equal(encoded('Subject: é'), 'Subject: =?UTF-8?B?w6k=?=\r\n');
  t.equal(encoded('To: Zoë <z@x.test>'), 'To: =?UTF-8?B?Wm/Dqw==?= <z@x.test>\r\n');
  t.equal(encoded('To: zoë@x.test'), 'To: zoÃ«@x.test\r\n', 'an address has no such form');
  t.equal(
    encoded('Content-Type: text/plain; charset="utf-8"; name="Gr\\"ü.txt"; x=é'),
    `Content-Type: text/plain; charset="utf-8"; name*=utf-8''Gr%22%C3%BC.txt;\r\n x*=utf-8''%C3%A9\r\n`,
  );
  const raw = Buffer.from('To: "A, B" <a@x.test>, Zoë <zoë@x.test>\r\nX: é\r\n\r\nbody');
  t.equal(
    withAsciiHeader(raw).toString(),
    'To: "A, B" <a@x.test>, =?UTF-8?B?em/Dq0B4LnRlc3Q=?= :;\r\nX: é\r\n\r\nbody',
  );
});
