/** Makes a card of a vCard's properties, of any version. */

import { isAscii, isUtf8 } from 'node:buffer';
import { parseAddress, parseDomain } from '../../kernel/address.ts';
import { type Property, unescapeText } from '../../kernel/text/content-line.ts';
import { type Card, type CardChannel, cardText, emptyCard, type PostalAddress, trimmedText } from '../card.ts';
import { hasDigit } from '../phone.ts';
import { splitName } from '../split-name.ts';
import { readLabel, readTypes } from './labels.ts';
import { splitEscaped } from './text-value.ts';

const fromHex = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));

/** UTF-8 where the octets are valid in it, else Windows-1252. */
const decodeUnnamed = (octets: Buffer): string =>
  isUtf8(octets) ? octets.toString() : new TextDecoder('windows-1252').decode(octets);

const decodeOctets = (octets: Buffer, charset: string): string => {
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(octets);
  } catch {
    return decodeUnnamed(octets);
  }
};

/**
 * Decodes the value. A declared charset applies to quoted-printable; other octets that are valid UTF-8 are UTF-8,
 * because the text was converted in transport.
 */
const decodeText = ({ parameters, value }: Property): string => {
  const encoding = parameters.get('ENCODING')?.[0]?.toUpperCase();
  const isEncoded = encoding === 'QUOTED-PRINTABLE';
  const octets = Buffer.from(isEncoded ? value.replace(/=([\dA-F]{2})/gi, fromHex).replace(/=$/, '') : value, 'latin1');
  const charset = parameters.get('CHARSET')?.[0];
  if (charset !== undefined && (isEncoded || isAscii(octets) || !isUtf8(octets))) return decodeOctets(octets, charset);
  return decodeUnnamed(octets);
};

/** Postroom's own: the domains of a contact. A URL does not count as one, because its domain may have many users. */
export const DOMAIN_PROPERTY = 'X-POSTROOM-DOMAIN';

/** Properties that are read; all others are left out. */
export const USED = new Set([
  'VERSION',
  'UID',
  'KIND',
  'X-ADDRESSBOOKSERVER-KIND',
  'FN',
  'N',
  'NICKNAME',
  'ORG',
  'TITLE',
  'ROLE',
  'EMAIL',
  'TEL',
  'ADR',
  'NOTE',
  'X-ABLABEL',
  DOMAIN_PROPERTY,
]);

export type Version = '2.1' | '3.0' | '4.0';

/** Preference without a PREF parameter; the parameter's values end at 100 (RFC 6350 section 5.3). */
const NOT_PREFERRED = 101;

interface Reading {
  all(name: string): Property[];
  version: Version;
  /** Converts text to a card's form: unchanged in 4.0; trimmed in older versions, because their writers pad. */
  toText(text: string): string | null;
  readLabel(property: Property): string | null;
}

const createReading = (properties: readonly Property[], version: Version): Reading => {
  const byName = Map.groupBy(properties, ({ name }) => name);
  const toText = version === '4.0' ? cardText : trimmedText;
  const all = (name: string): Property[] => byName.get(name) ?? [];
  const labels = new Map(all('X-ABLABEL').map((label) => [label.group, toText(unescapeText(decodeText(label)))]));
  return {
    all,
    version,
    toText,
    readLabel: (property) => readLabel(property, property.group === null ? null : (labels.get(property.group) ?? null)),
  };
};

const readTexts = ({ all, toText }: Reading, name: string): string[] =>
  all(name).flatMap((property) => toText(unescapeText(decodeText(property))) ?? []);

const readComponents = ({ toText }: Reading, property: Property): (string | null)[] =>
  splitEscaped(decodeText(property), ';').map((component) => toText(unescapeText(component)));

/** The items of a list; 2.1 has no separating commas. */
const readList = ({ version, toText }: Reading, property: Property): string[] => {
  const text = decodeText(property);
  const items = version === '2.1' ? [text] : splitEscaped(text, ',');
  return items.flatMap((item) => toText(unescapeText(item)) ?? []);
};

const readUid = (reading: Reading): string | null => {
  const property = reading.all('UID')[0];
  if (!property) return null;
  const isText = reading.version !== '4.0' || property.parameters.get('VALUE')?.[0]?.toLowerCase() === 'text';
  return reading.toText(isText ? unescapeText(decodeText(property)) : decodeText(property));
};

/** Converts `tel:+1-418-656-9254;ext=102` (RFC 3966) to the usual written form. */
const toPhone = (text: string): string => {
  if (!/^tel:/i.test(text)) return text;
  const [number = '', ...parameters] = text.slice(4).split(';');
  const extension = parameters.find((parameter) => /^ext=/i.test(parameter))?.slice(4);
  return extension ? `${number} ext. ${extension}` : number;
};

const readPreference = (property: Property): number => {
  const given = Number(property.parameters.get('PREF')?.[0]);
  if (given >= 1 && given < NOT_PREFERRED) return given;
  return readTypes(property).includes('pref') ? 1 : NOT_PREFERRED;
};

const readChannels = (reading: Reading, properties: readonly Property[]) => {
  /** Values that are neither address nor number. */
  const unusable: string[] = [];
  const toChannel = (property: Property): CardChannel | null => {
    const text = reading.toText(unescapeText(decodeText(property)));
    if (text === null) return null;
    const label = reading.readLabel(property);
    if (property.name === 'TEL') {
      const value = toPhone(text);
      if (hasDigit(value)) return { kind: 'phone', value, label };
      unusable.push(`Phone: ${text}`);
      return null;
    }
    const value = text.trim().replace(/^mailto:/i, '');
    if (parseAddress(value) !== null) return { kind: 'email', value, label };
    unusable.push(`E-mail: ${text}`);
    return null;
  };
  const found = properties.flatMap((property) => {
    const channel = toChannel(property);
    return channel ? [{ channel, preference: readPreference(property) }] : [];
  });
  // Sorts preferred ones first within each kind; the kinds keep their order.
  const sorted = found.toSorted((one, other) => one.preference - other.preference).map(({ channel }) => channel);
  const queues = Map.groupBy(sorted, ({ kind }) => kind);
  const taken = { email: 0, phone: 0 };
  const channels = found.flatMap(({ channel: { kind } }) => queues.get(kind)?.[taken[kind]++] ?? []);
  return { channels, unusable };
};

const readAddress = (reading: Reading, property: Property): PostalAddress[] => {
  const [poBox = null, extended = null, street = null, locality = null, region = null, postalCode = null, ...rest] =
    readComponents(reading, property);
  const country = rest[0] ?? null;
  const parts = { poBox, extended, street, locality, region, postalCode, country };
  return Object.values(parts).every((part) => part === null) ? [] : [{ ...parts, label: reading.readLabel(property) }];
};

/**
 * The names of N; else those of FN, unless FN only repeats another property, as the RFC requires for nameless
 * contacts.
 */
const readNames = (reading: Reading, card: Card): Pick<Card, 'givenName' | 'familyName'> => {
  const [n] = reading.all('N');
  const [familyName = null, givenName = null] = n ? readComponents(reading, n) : [];
  if (familyName !== null || givenName !== null || card.fullName === null) return { givenName, familyName };
  const others = [card.companyName, card.preferredName, ...card.channels.map(({ value }) => value)];
  return others.includes(card.fullName) ? { givenName, familyName } : splitName(card.fullName);
};

const isGroup = (reading: Reading): boolean =>
  ['KIND', 'X-ADDRESSBOOKSERVER-KIND'].some((name) => readTexts(reading, name)[0]?.toLowerCase() === 'group');

/** Null for a group of contacts, and for a contact without name and channel. */
export const toCard = (properties: readonly Property[], version: Version): Card | null => {
  const reading = createReading(properties, version);
  if (isGroup(reading)) return null;
  const { channels, unusable } = readChannels(
    reading,
    properties.filter(({ name }) => name === 'EMAIL' || name === 'TEL'),
  );
  // Keeps unusable addresses and numbers as notes for people.
  const notes = [...readTexts(reading, 'NOTE'), ...unusable];
  const card: Card = {
    ...emptyCard(),
    uid: readUid(reading),
    fullName: readTexts(reading, 'FN')[0] ?? null,
    preferredName: reading.all('NICKNAME').flatMap((property) => readList(reading, property))[0] ?? null,
    companyName: reading.all('ORG').flatMap((property) => readComponents(reading, property)[0] ?? [])[0] ?? null,
    jobTitle: [...readTexts(reading, 'TITLE'), ...readTexts(reading, 'ROLE')][0] ?? null,
    notes: notes.length === 0 ? null : notes.join('\n'),
    domains: readTexts(reading, DOMAIN_PROPERTY).flatMap((text) => parseDomain(text) ?? []),
    channels,
    addresses: reading.all('ADR').flatMap((property) => readAddress(reading, property)),
  };
  const whole = { ...card, ...readNames(reading, card) };
  const names = [whole.fullName, whole.givenName, whole.familyName, whole.preferredName, whole.companyName];
  return channels.length === 0 && names.every((name) => name === null) ? null : whole;
};
