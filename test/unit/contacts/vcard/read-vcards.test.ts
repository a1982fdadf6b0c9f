import t from 'tap';
import { linesOf } from '../../../harness/lines.ts';
import { cardLines, readAll, readOne } from './cards.ts';

const v2 = (...lines: string[]): string => cardLines('VERSION:2.1', ...lines);
const v3 = (...lines: string[]): string => cardLines('VERSION:3.0', ...lines);
const v4 = (...lines: string[]): string => cardLines('VERSION:4.0', ...lines);
const email = (value: string, label: string | null = null) => ({ kind: 'email', value, label });
const phone = (value: string, label: string | null = null) => ({ kind: 'phone', value, label });

t.test('escapes are read as the versions have them', async (t) => {
  t.equal(readOne(v4('FN:A', 'NOTE:a\\, b\\; c\\\\n\\nd\\Ne \\x')).notes, 'a, b; c\\n\nd\ne \\x');
  t.equal(readOne(v3('FN:A', 'NOTE:http\\://a \\"b\\"')).notes, 'http://a "b"');
  t.equal(readOne(v4('FN:A', 'ORG:A\\; B;Sales')).companyName, 'A; B');
  t.equal(readOne(v2('FN:A', 'ORG:Company, The;Sales')).companyName, 'Company, The');
  t.equal(readOne(v4('FN:A', 'NICKNAME:Jim,Jimmie')).preferredName, 'Jim');
  t.equal(readOne(v4('FN:A', 'NICKNAME:Jim\\, Jimmie')).preferredName, 'Jim, Jimmie');
});

t.test('lines are unfolded, in 2.1 with the blank that they are folded at', async (t) => {
  t.equal(readOne(v3('FN:A', 'NOTE:so', ' me\t text', '\t here')).notes, 'some\t text here');
  t.equal(readOne(v2('FN:A', 'NOTE:some', ' text')).notes, 'some text');
  t.equal(readOne(v3('FN:A', 'EMAIL;TYPE="wo', ' rk":ann@x.exam', ' ple')).channels[0]?.value, 'ann@x.example');
});

t.test('a fold within a character of UTF-8, as older writers make it, is undone', async (t) => {
  const [first, second] = [Buffer.from('FN:Zoë').subarray(0, 6), Buffer.from('FN:Zoë').subarray(6)];
  const text = Buffer.concat([Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\n'), first, Buffer.from('\r\n '), second]);
  t.equal(readOne(Buffer.concat([text, Buffer.from('\r\nEND:VCARD\r\n')])).givenName, 'Zoë');
});

t.test('quoted-printable, with soft line breaks and charsets', async (t) => {
  const qp = 'ENCODING=QUOTED-PRINTABLE';
  t.equal(readOne(v2('FN:A', `NOTE;${qp}:one=0D=0A=`, 'two=20=', '=20three')).notes, 'one\ntwo  three');
  t.equal(readOne(v2(`N;CHARSET=ISO-8859-1;${qp}:M=FCller;J=F6rg;;;`)).familyName, 'Müller');
  t.equal(readOne(v2(`FN;CHARSET=UTF-8;QUOTED-PRINTABLE:J=C3=B6rg`)).givenName, 'Jörg');
  t.equal(readOne(v2(`FN;CHARSET=Shift_JIS;${qp}:=8E=52=93=63`)).givenName, '山田');
  t.equal(readOne(v2(`FN;CHARSET=no-such;${qp}:J=F6rg`)).givenName, 'Jörg');
  t.equal(readOne(v2('FN:A', `NOTE;${qp}:cut=`)).notes, 'cut', 'a soft break before END');
});

t.test('8-bit text is of the charset declared, else UTF-8, else Windows-1252', async (t) => {
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  t.equal(readOne(latin1(v2('FN:Jörg'))).givenName, 'Jörg');
  t.equal(readOne(latin1(v2('FN;CHARSET=ISO-8859-2:Wa\xb3\xeasa'))).givenName, 'Wałęsa');
  t.equal(readOne(v3('FN;CHARSET=ISO-8859-1:Jörg')).givenName, 'Jörg', 'converted on its way');
  t.equal(readOne(Buffer.from(`\ufeff${v3('FN:Jörg')}`)).givenName, 'Jörg');
  t.equal(readOne(Buffer.from(`\ufeff${v3('FN:Jörg')}`, 'utf16le')).givenName, 'Jörg');
  t.equal(readOne(Buffer.from(v3('FN:Jörg'), 'utf16le').swap16()).givenName, 'Jörg');
});

t.test('any line end will do', async (t) => {
  for (const end of ['\n', '\r', '\r\r\n', '\r\n\r\n']) {
    const { cards } = readAll((v3('FN:Ann', 'NOTE:so', ' it') + v3('FN:Bob')).replaceAll('\r\n', end));
    t.same(
      cards.map(({ fullName }) => fullName),
      ['Ann', 'Bob'],
      JSON.stringify(end),
    );
  }
});

t.test('types and labels of channels', async (t) => {
  const { channels } = readOne(
    v3(
      'FN:A',
      'TEL;TYPE=WORK,FAX:1',
      'TEL;TYPE=CELL;TYPE=VOICE:2',
      'TEL;HOME;VOICE:3',
      'item1.TEL:4',
      'item1.X-ABLabel:_$!<AssistantPhone>!$_',
      'ITEM2.EMAIL;TYPE=INTERNET:a@x.example',
      'item2.X-ABLabel:Holidays\\, late',
      'EMAIL;TYPE="home,work":MAILTO:b@X.example',
      'TEL;VALUE=uri:tel:+1-418-656-9254;ext=102',
      'TEL:',
    ),
  );
  t.same(channels, [
    phone('1', 'work fax'),
    phone('2', 'cell'),
    phone('3', 'home'),
    phone('4', 'AssistantPhone'),
    email('a@x.example', 'Holidays, late'),
    email('b@X.example', 'home work'),
    phone('+1-418-656-9254 ext. 102'),
  ]);
});

t.test('the preferred come first among their own kind', async (t) => {
  const lines = linesOf`
    EMAIL:a@x.example
    TEL:1
    EMAIL;PREF=2:b@x.example
    EMAIL;PREF=1:c@x.example
    TEL;TYPE=pref:2
  `;
  t.same(
    readOne(v4('FN:A', ...lines)).channels.map(({ value }) => value),
    ['c@x.example', '2', 'b@x.example', 'a@x.example', '1'],
  );
});

t.test('an address that cannot be written to goes into the notes, and a number without a digit', async (t) => {
  const { channels, notes } = readOne(v3('FN:A', 'EMAIL:not an address', 'TEL:Reception', 'NOTE:Old friend'));
  t.same(channels, []);
  t.equal(notes, 'Old friend\nE-mail: not an address\nPhone: Reception');
});

t.test('names come from N, else from FN unless that repeats another field', async (t) => {
  t.match(readOne(v3('FN:Dr. Ann Lee', 'N:Lee;Ann;B;Dr.;')), {
    givenName: 'Ann',
    familyName: 'Lee',
    fullName: 'Dr. Ann Lee',
  });
  t.match(readOne(v3('FN:Ann van Lee')), { givenName: 'Ann van', familyName: 'Lee' });
  t.match(readOne(v3('FN:Acme Inc', 'N:;;;;', 'ORG:Acme Inc')), {
    givenName: null,
    familyName: null,
    companyName: 'Acme Inc',
  });
  t.match(readOne(v2('N:Doe; John ')), { givenName: 'John', familyName: 'Doe', fullName: null });
  t.match(readOne(v2('EMAIL:a@x.example')), { givenName: null, fullName: null });
});

t.test('addresses and domains', async (t) => {
  const card = readOne(
    v3(
      'FN:A',
      'ADR;TYPE=home:PO 1;2nd floor;Main St 1\\nDoor 2;Bern; BE ;3000;CH',
      'ADR:;;;;;;',
      'X-POSTROOM-DOMAIN:EXAMPLE.com',
      'X-POSTROOM-DOMAIN:no domain',
      'URL:http://other.example',
    ),
  );
  t.same(card.addresses, [
    {
      poBox: 'PO 1',
      extended: '2nd floor',
      street: 'Main St 1\nDoor 2',
      locality: 'Bern',
      region: 'BE',
      postalCode: '3000',
      country: 'CH',
      label: 'home',
    },
  ]);
  t.same(card.domains, ['example.com']);
});

t.test('a card within a card is no card of its own', async (t) => {
  const agent = v2('FN:Boss', 'AGENT:', ...v2('FN:Agent', 'EMAIL:agent@x.example').trimEnd().split('\r\n'), 'TEL:1');
  const { cards, failed } = readAll(agent + v3('FN:Ann', 'AGENT:BEGIN:VCARD\\nFN:Inline\\nEND:VCARD\\n'));
  t.same(
    cards.map(({ fullName, channels }) => [fullName, channels.length]),
    [
      ['Boss', 1],
      ['Ann', 0],
    ],
  );
  t.same(failed, []);
});

t.test('a card that fails does not stop the others', async (t) => {
  const text = [
    v3('FN:Ann'),
    'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:No end\r\n',
    v3('FN:Bob'),
    v3('NOTE:neither name nor channel'),
    v4('KIND:group', 'FN:A group', 'MEMBER:urn:uuid:1'),
    v3('X-ADDRESSBOOKSERVER-KIND:group', 'FN:A group of Apple'),
    v3('FN:x', `NOTE:${'x'.repeat(1_100_000)}`),
    v3('FN:x', ...Array<string>(3_000).fill('X-A:b')),
    v3('FN:x', ...Array<string>(300).fill('TEL:1')),
    v3('FN:Carl', `PHOTO:${'A'.repeat(1_100_000)}`),
    v2('FN:x', ...Array<string[]>(9).fill(['AGENT:', 'BEGIN:VCARD']).flat(), ...Array<string>(9).fill('END:VCARD')),
    'noise\r\n:\r\n;:\r\n',
    v3('FN:Dora', 'a line without a colon', 'X-EMPTY:'),
    'BEGIN:VCARD\r\nFN:Cut off',
  ].join('');
  const { cards, indices, failed } = readAll(text);
  t.same(
    cards.map(({ fullName }) => fullName),
    ['Ann', 'Bob', 'Carl', 'Dora'],
  );
  t.same(indices, [0, 2, 9, 11]);
  t.same(
    failed.map(({ index, reason }) => `${index} ${reason}`),
    [
      '1 unfinished',
      '3 no_contact',
      '4 no_contact',
      '5 no_contact',
      '6 too_large',
      '7 too_many_lines',
      '8 too_many_lines',
      '10 nested_too_deeply',
      '12 unfinished',
    ],
  );
});

t.test('text without a card has none', async (t) => {
  for (const text of ['', '\r\n', 'Hello', 'END:VCARD', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR'])
    t.same(readAll(text), { cards: [], indices: [], failed: [] }, text);
});

t.test('control characters are left out, unpaired surrogates replaced', async (t) => {
  t.equal(readOne(v4('FN:A\0n\x1bn\x7f', 'NOTE:a\tb')).givenName, 'Ann');
  t.equal(readOne(v4('FN:A', 'NOTE:a\tb')).notes, 'a\tb');
});
