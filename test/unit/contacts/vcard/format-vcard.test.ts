import t from 'tap';
import { type Card, emptyCard } from '../../../../src/contacts/card.ts';
import { foldLine, formatVCard } from '../../../../src/contacts/vcard/format-vcard.ts';

const card = (fields: Partial<Card>): Card => ({ ...emptyCard(), ...fields });
const linesOf = (fields: Partial<Card>): string[] => formatVCard(card(fields)).split('\r\n').slice(3, -2);

t.test('a card has the form of RFC 6350', async (t) => {
  const address = {
    poBox: null,
    extended: null,
    street: '1, Main St',
    locality: 'Bern',
    region: null,
    postalCode: '3000',
    country: 'CH',
  };
  const text = formatVCard(
    card({
      uid: 'urn:uuid:0192f7a0-0000-7000-8000-000000000000',
      fullName: 'Ann Lee',
      givenName: 'Ann',
      familyName: 'Lee',
      preferredName: 'Annie',
      companyName: 'Acme; Sons',
      jobTitle: 'CEO',
      notes: 'One\nTwo\\',
      domains: ['example.com'],
      channels: [
        { kind: 'email', value: 'ann@example.com', label: 'work' },
        { kind: 'email', value: 'ann@home.example', label: 'Holidays' },
        { kind: 'phone', value: '+41 44 668 18 00', label: 'work fax' },
      ],
      addresses: [{ ...address, label: 'home' }],
    }),
  );
  t.equal(
    text,
    [
      'BEGIN:VCARD',
      'VERSION:4.0',
      'PRODID:-//Postroom//Postroom//EN',
      'UID:urn:uuid:0192f7a0-0000-7000-8000-000000000000',
      'FN:Ann Lee',
      'N:Lee;Ann;;;',
      'NICKNAME:Annie',
      'ORG:Acme\\; Sons',
      'TITLE:CEO',
      'EMAIL;TYPE=work;PREF=1:ann@example.com',
      'item1.EMAIL:ann@home.example',
      'item1.X-ABLabel:Holidays',
      'TEL;TYPE=work,fax:+41 44 668 18 00',
      'ADR;TYPE=home:;;1\\, Main St;Bern;;3000;CH',
      'X-POSTROOM-DOMAIN:example.com',
      'NOTE:One\\nTwo\\\\',
      'END:VCARD',
      '',
    ].join('\r\n'),
  );
});

t.test('FN, which has to be there, is what the contact is called by', async (t) => {
  t.same(linesOf({ companyName: 'Acme' }), ['FN:Acme', 'N:;;;;', 'ORG:Acme']);
  t.equal(linesOf({ givenName: 'Ann', familyName: 'Lee' })[0], 'FN:Ann Lee');
  t.equal(linesOf({ channels: [{ kind: 'email', value: 'a@b.example', label: null }] })[0], 'FN:a@b.example');
});

t.test('lines are folded at 75 octets, between characters', async (t) => {
  t.equal(foldLine('x'.repeat(75)), `${'x'.repeat(75)}\r\n`);
  t.equal(foldLine('x'.repeat(76)), `${'x'.repeat(75)}\r\n x\r\n`);
  t.equal(foldLine(`${'x'.repeat(74)}é`), `${'x'.repeat(74)}\r\n é\r\n`);
  const folded = foldLine(`NOTE:${'🙂'.repeat(100)}`).split('\r\n');
  t.ok(folded.every((line) => Buffer.byteLength(line) <= 75 && line.isWellFormed()));
  t.equal(folded.map((line, at) => (at === 0 ? line : line.slice(1))).join(''), `NOTE:${'🙂'.repeat(100)}`);
});
