/** Cards for tests: as read from a text that has to be readable, and made at random. */

import type { Random } from '../../../../scripts/fuzz/random.ts';
import { type Card, type CardChannel, emptyCard, type PostalAddress } from '../../../../src/contacts/card.ts';
import { readVCards } from '../../../../src/contacts/vcard/read-vcards.ts';

export const cardLines = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');

export const readAll = (text: string | Uint8Array) => {
  const read = readVCards(typeof text === 'string' ? Buffer.from(text) : text, 1_000);
  if (read.kind !== 'read') throw new Error(read.kind);
  return {
    cards: read.cards.map(({ card }) => card),
    indices: read.cards.map(({ index }) => index),
    failed: read.failed,
  };
};

/** The one card of a text. */
export const readOne = (text: string | Uint8Array): Card => {
  const { cards, failed } = readAll(text);
  const [card] = cards;
  if (!card || cards.length > 1 || failed.length > 0) throw new Error(JSON.stringify({ cards: cards.length, failed }));
  return card;
};

const PIECES = [
  ...[
    'a',
    'Z',
    '0',
    ' ',
    '  ',
    ',',
    ';',
    ':',
    '\\',
    '\\n',
    '\n',
    '\t',
    '"',
    "'",
    '=',
    '=0D',
    '=\r\n',
    '^n',
    '<',
    '&',
    '%00',
  ],
  ...['ä', 'ß', '€', '李', '🙂', '👩‍👩‍👧', 'e\u0301', '\u200f', '\u2028', '\ufeff', '\u00a0', '\u{10ffff}'],
  ...['BEGIN:VCARD', 'END:VCARD', 'item1.', 'TYPE=', '\\;', '\\,', '\\\\', 'x'.repeat(80), '字'.repeat(40), '+41 44'],
];

/** Text that a card can have: no control characters, LF as its line end, not empty. */
const makeText = (random: Random): string => {
  const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join('');
  return text.replace(/\r/g, '');
};

const maybe = (random: Random): string | null => (random.below(3) === 0 ? null : makeText(random));

const LABELS = [
  null,
  'home',
  'work',
  'cell',
  'work fax',
  'fax work',
  'Home',
  'work work',
  'voice',
  'pref',
  'a,b;c',
  'main',
];

const makeChannel = (random: Random): CardChannel => {
  const label = random.below(4) === 0 ? makeText(random) : random.pick(LABELS);
  if (random.below(2) === 0) return { kind: 'phone', value: `7${makeText(random)}`, label };
  return {
    kind: 'email',
    value: `${random.pick(['a', 'ann.lee', '"a b"', 'ä', "o'h", 'a+b'])}@X${random.below(9)}.com`,
    label,
  };
};

const makeAddress = (random: Random): PostalAddress => ({
  poBox: maybe(random),
  extended: maybe(random),
  street: makeText(random),
  locality: maybe(random),
  region: maybe(random),
  postalCode: maybe(random),
  country: maybe(random),
  label: random.pick(LABELS),
});

const several = <T>(random: Random, most: number, make: (random: Random) => T): T[] =>
  Array.from({ length: random.below(most + 1) }, () => make(random));

export const makeCard = (random: Random): Card => {
  const card: Card = {
    ...emptyCard(),
    uid: random.pick([null, 'urn:uuid:0192-3', 'plain text; with, all', makeText(random)]),
    givenName: maybe(random),
    familyName: maybe(random),
    preferredName: maybe(random),
    companyName: maybe(random),
    jobTitle: maybe(random),
    notes: maybe(random),
    domains: several(random, 3, () => `d${random.below(99)}.example.com`),
    channels: several(random, 6, makeChannel),
    addresses: several(random, 2, makeAddress),
  };
  const hasName = card.givenName !== null || card.familyName !== null;
  // Without a name, what is displayed is one of the other fields.
  const others = [card.preferredName, card.companyName, card.channels[0]?.value].find((text) => text != null);
  if (!hasName && others == null) return makeCard(random);
  return { ...card, fullName: hasName ? makeText(random) : (others ?? null) };
};
