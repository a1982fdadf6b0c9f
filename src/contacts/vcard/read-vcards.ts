/**
 * Reads vCard 4.0 (RFC 6350), 3.0 (RFC 2426) and 2.1, any number of cards in one text, in time that grows with the text. A
 * card that fails does not stop the others.
 */

import { type Property, parseProperty } from '../../kernel/text/content-line.ts';
import type { Card } from '../card.ts';
import { withoutUtf16 } from '../file-text.ts';
import { BOUNDARY, readContentLines } from './content-lines.ts';
import { toCard, USED, type Version } from './to-card.ts';

/** Lines of one card, and of these the number with content for a contact. */
const MAX_LINES = 2_000;
const MAX_PROPERTIES = 200;
/** Octets of these. */
const MAX_OCTETS = 256 * 1024;
/** Cards within cards: the AGENT of vCard 2.1. */
const MAX_DEPTH = 5;

export type CardFailure = 'unfinished' | 'too_many_lines' | 'too_large' | 'nested_too_deeply' | 'no_contact';

export type ReadVCards = ReadCards | { kind: 'too_many_cards' };

export interface ReadCards {
  kind: 'read';
  /** Indices count the text's cards from 0, without nested ones. */
  cards: { index: number; card: Card }[];
  failed: { index: number; reason: CardFailure }[];
}

/** A card that is being read. */
interface Draft {
  properties: Property[];
  version: Version;
  lines: number;
  octets: number;
  /** Nested cards that are open. */
  depth: number;
  /** Whether the last property was an AGENT without a value, which a nested card follows. */
  expectsAgent: boolean;
  failure: CardFailure | null;
}

const newDraft = (): Draft => ({
  properties: [],
  version: '3.0',
  lines: 0,
  octets: 0,
  depth: 0,
  expectsAgent: false,
  failure: null,
});

const parseVersion = (text: string): Version => {
  const version = text.trim();
  return version === '2.1' || version === '3.0' ? version : '4.0';
};

const isCardBoundary = ({ value }: Property): boolean => value.trim().toUpperCase() === 'VCARD';

/**
 * @param octets of any charset: UTF-16 is recognised; others are decoded line by line, by CHARSET or by validity
 * @param most cards; more are refused
 */
export const readVCards = (octets: Uint8Array, most: number): ReadVCards => {
  const lines = readContentLines(withoutUtf16(octets).toString('latin1'));
  const cards: { index: number; card: Card }[] = [];
  const failed: { index: number; reason: CardFailure }[] = [];
  let index = -1;
  let draft: Draft | null = null;

  const begin = (): Draft => {
    index += 1;
    lines.keepsFoldBlank = false;
    return newDraft();
  };
  const finish = ({ properties, version, failure }: Draft): void => {
    const card = failure === null ? toCard(properties, version) : null;
    if (card) cards.push({ index, card });
    else failed.push({ index, reason: failure ?? 'no_contact' });
  };
  const add = (to: Draft, property: Property, isCut: boolean): void => {
    if (property.name === 'VERSION') {
      to.version = parseVersion(property.value);
      lines.keepsFoldBlank = to.version === '2.1';
    } else if (USED.has(property.name)) {
      to.octets += property.value.length;
      if (isCut || to.octets > MAX_OCTETS) to.failure ??= 'too_large';
      if (to.properties.length === MAX_PROPERTIES) to.failure ??= 'too_many_lines';
      to.properties.push(property);
    }
  };
  const take = (to: Draft, property: Property, isCut: boolean): Draft | null => {
    const agent = to.expectsAgent;
    to.expectsAgent = property.name === 'AGENT' && property.value.trim() === '';
    if (property.name === 'BEGIN' && isCardBoundary(property)) {
      if (!agent && to.depth === 0) {
        finish({ ...to, failure: 'unfinished' });
        return begin();
      }
      to.depth += 1;
      if (to.depth > MAX_DEPTH) to.failure ??= 'nested_too_deeply';
    } else if (property.name === 'END' && isCardBoundary(property)) {
      if (to.depth === 0) {
        finish(to);
        return null;
      }
      to.depth -= 1;
    } else if (to.depth === 0 && to.failure === null) add(to, property, isCut);
    return to;
  };

  for (let line = lines.next(); line; line = lines.next()) {
    if (draft) {
      draft.lines += 1;
      if (draft.lines > MAX_LINES) draft.failure ??= 'too_many_lines';
    }
    // In a failed card, and between cards, only the boundaries matter.
    if ((!draft || draft.failure !== null) && !BOUNDARY.test(line.text)) continue;
    const property = parseProperty(line.text);
    if (!property) continue;
    if (draft) draft = take(draft, property, line.isCut);
    else if (property.name === 'BEGIN' && isCardBoundary(property)) draft = begin();
    if (index >= most) return { kind: 'too_many_cards' };
  }
  if (draft) finish({ ...draft, failure: draft.failure ?? 'unfinished' });
  return { kind: 'read', cards, failed };
};
