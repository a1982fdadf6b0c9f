/** Writes vCard 4.0 (RFC 6350). {@link readVCards} reads the same card from it. */

import type { Card, CardChannel, PostalAddress } from '../card.ts';
import { labelTypes } from './labels.ts';
import { escapeText } from './text-value.ts';
import { DOMAIN_PROPERTY } from './to-card.ts';

/** Octets of a line, its break excluded. */
const MAX_OCTETS = 75;

const countOctets = (codePoint: number): number => {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
};

/** Folds a content line (RFC 6350 section 3.2) between characters, never within one of UTF-8. @returns it with its CRLF */
export const foldLine = (line: string): string => {
  let folded = '';
  let from = 0;
  let room = MAX_OCTETS;
  for (let at = 0; at < line.length; ) {
    const codePoint = line.codePointAt(at) ?? 0;
    const octets = countOctets(codePoint);
    if (octets > room) {
      folded += `${line.slice(from, at)}\r\n `;
      from = at;
      room = MAX_OCTETS - 1;
    }
    room -= octets;
    at += codePoint < 0x10000 ? 1 : 2;
  }
  return `${folded}${line.slice(from)}\r\n`;
};

const PRODUCT = '-//Postroom//Postroom//EN';
/** A URI without characters to escape; UID's default value type. */
const PLAIN_URI = /^[a-z][a-z0-9+.-]*:[!-[\]-~]+$/i;
/** Characters written at once. */
const CHUNK = 32 * 1024;

const components = (values: readonly (string | null)[]): string =>
  values.map((value) => escapeText(value ?? '')).join(';');

const toFullName = (card: Card): string => {
  const names = [card.givenName, card.familyName].filter((name) => name !== null).join(' ');
  return card.fullName ?? ([names, card.preferredName, card.companyName, card.channels[0]?.value].find(Boolean) || '');
};

/** A property with an optional label; a label without a TYPE gets a group. */
const labelled =
  (nextGroup: () => string) =>
  (name: string, label: string | null, value: string, parameter = ''): string[] => {
    if (label === null) return [`${name}${parameter}:${value}`];
    const types = labelTypes(label);
    if (types) return [`${name};TYPE=${types.join(',')}${parameter}:${value}`];
    const group = nextGroup();
    return [`${group}.${name}${parameter}:${value}`, `${group}.X-ABLabel:${escapeText(label)}`];
  };

const addressComponents = (address: PostalAddress): string => {
  const { poBox, extended, street, locality, region, postalCode, country } = address;
  return components([poBox, extended, street, locality, region, postalCode, country]);
};

const textLine = (name: string, value: string | null): string[] =>
  value === null ? [] : [`${name}:${escapeText(value)}`];

const toLines = (card: Card): string[] => {
  let groups = 0;
  const write = labelled(() => `item${++groups}`);
  /** The first of several is marked as preferred. */
  const preference = ({ kind }: CardChannel, at: number): string => {
    const ofKind = card.channels.filter((channel) => channel.kind === kind);
    return ofKind.length > 1 && card.channels.findIndex((channel) => channel.kind === kind) === at ? ';PREF=1' : '';
  };
  const { uid } = card;
  return [
    'BEGIN:VCARD',
    'VERSION:4.0',
    `PRODID:${PRODUCT}`,
    ...(uid === null ? [] : [PLAIN_URI.test(uid) ? `UID:${uid}` : `UID;VALUE=text:${escapeText(uid)}`]),
    `FN:${escapeText(toFullName(card))}`,
    `N:${components([card.familyName, card.givenName, null, null, null])}`,
    ...textLine('NICKNAME', card.preferredName),
    ...textLine('ORG', card.companyName),
    ...textLine('TITLE', card.jobTitle),
    ...card.channels.flatMap((channel, at) =>
      write(
        channel.kind === 'email' ? 'EMAIL' : 'TEL',
        channel.label,
        escapeText(channel.value),
        preference(channel, at),
      ),
    ),
    ...card.addresses.flatMap((address) => write('ADR', address.label, addressComponents(address))),
    ...card.domains.flatMap((domain) => textLine(DOMAIN_PROPERTY, domain)),
    ...textLine('NOTE', card.notes),
    'END:VCARD',
  ];
};

export const formatVCard = (card: Card): string => toLines(card).map(foldLine).join('');

/** Writes cards in chunks, on demand. */
export const formatVCards = async function* (cards: AsyncIterable<Card> | Iterable<Card>): AsyncGenerator<string> {
  let chunk = '';
  for await (const card of cards) {
    chunk += formatVCard(card);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
};
