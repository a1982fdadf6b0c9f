/** Parses and matches the selectors of elements, classes, ids and attributes with descendant and child combinators. */

import type { Attributes } from '../nesting.ts';
import { splitOutside } from './tokens.ts';

/** An open element, with the members that selectors match. */
export interface StyledElement {
  name: string;
  attributes: Attributes;
  classes: readonly string[];
}

export interface Compound {
  name: string | null;
  id: string | null;
  classes: string[];
  attributes: { name: string; value: string | null; word: boolean }[];
  /** Whether it must match the parent of the compound after it. */
  isParent: boolean;
}

export interface Selector {
  /** The element itself, then its ancestors from the inside out. */
  compounds: [Compound, ...Compound[]];
  specificity: number;
}

const MAX_SELECTORS = 100;
/** Characters of a selector, and its compounds. */
const MAX_SELECTOR = 300;
const MAX_COMPOUNDS = 6;
/** Characters of an attribute other than `class` that is compared by its words: each comparison splits it. */
const MAX_WORDS = 200;

/** No identifier begins with a digit: browsers drop a rule with such a one. */
const IDENT = '-?(?:[a-z_]|-)[\\w-]*';
const ATTRIBUTE = `\\[\\s*[\\w-]+\\s*(?:~?=\\s*(?:"[^"\\\\\\]]*"|'[^'\\\\\\]]*'|${IDENT})\\s*)?\\]`;
const COMPOUND = new RegExp(`^(?:(\\*|[a-z][\\w-]*))?((?:[.#]${IDENT}|${ATTRIBUTE})*)$`, 'i');
const SIMPLE = /\.([\w-]+)|#([\w-]+)|\[\s*([\w-]+)\s*(?:(~?)=\s*(?:"([^"\]]*)"|'([^'\]]*)'|([\w-]+))\s*)?\]/g;
/** Pseudo-elements, which are text beside the element's own, and states such as hover. */
const APART =
  /::?(?:before|after|marker|placeholder|selection|backdrop)\b|::-|:(?:hover|active|focus(?:-within|-visible)?|visited|target)\b/i;
/** Signs of names that are not read, and blanks that are none in CSS. */
const UNREAD = /[^\t\n\f\r\x20-\x7e]/;

const parseCompound = (text: string, isParent: boolean): Compound | null => {
  const match = COMPOUND.exec(text);
  if (!match || text === '') return null;
  const compound: Compound = { name: null, id: null, classes: [], attributes: [], isParent };
  if (match[1] !== undefined && match[1] !== '*') compound.name = match[1].toLowerCase();
  for (const [, className, id, attribute, word, ...values] of (match[2] ?? '').matchAll(SIMPLE)) {
    if (className !== undefined) compound.classes.push(className);
    else if (id !== undefined) compound.id = id;
    else if (attribute !== undefined) {
      const value = values.find((each) => each !== undefined) ?? null;
      compound.attributes.push({ name: attribute.toLowerCase(), value, word: word === '~' });
    }
  }
  return compound;
};

const parseExact = (text: string): Compound[] | null => {
  const parts = text.replace(/\s*>\s*/g, '>').split(/(?=>)|\s+/);
  if (parts.length > MAX_COMPOUNDS) return null;
  const compounds: Compound[] = [];
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at] ?? '';
    const next = parts[at + 1];
    const compound = parseCompound(part.startsWith('>') ? part.slice(1) : part, next?.startsWith('>') ?? false);
    if (!compound) return null;
    compounds.push(compound);
  }
  return compounds;
};

const computeSpecificity = (compounds: readonly Compound[]): number =>
  compounds.reduce(
    (sum, { name, id, classes, attributes }) =>
      sum + (id === null ? 0 : 10_000) + 100 * (classes.length + attributes.length) + (name === null ? 0 : 1),
    0,
  );

/** @returns null for a selector of text beside the element's own; `unread` where this parser is not exact */
const parseSelector = (written: string): Selector | null | 'unread' => {
  const text = written.trim();
  const exact = text.length > MAX_SELECTOR || UNREAD.test(written) ? null : parseExact(text);
  if (exact?.[0]) return { compounds: [exact[0], ...exact.slice(1)], specificity: computeSpecificity(exact) };
  return !text.includes('(') && APART.test(text) ? null : 'unread';
};

/** A program drops the whole list for one unknown selector (Selectors section 4.1): such lists are empty. */
export const parseSelectors = (list: string): Selector[] => {
  const parts = splitOutside(list.replace(/<!--|-->/g, ' '), ',', MAX_SELECTORS);
  if (parts.length > MAX_SELECTORS || list.includes('::-')) return [];
  const selectors = parts.map(parseSelector);
  return selectors.includes('unread') ? [] : selectors.filter((read) => read !== null && read !== 'unread');
};

export const fits = (compound: Compound, element: StyledElement): boolean => {
  if (compound.name !== null && compound.name !== element.name) return false;
  if (compound.id !== null && compound.id !== element.attributes.get('id')) return false;
  if (!compound.classes.every((name) => element.classes.includes(name))) return false;
  return compound.attributes.every(({ name, value, word }) => {
    const actual = element.attributes.get(name);
    if (actual === undefined || value === null) return actual !== undefined;
    if (!word) return actual === value;
    if (name === 'class') return element.classes.includes(value);
    return actual.length <= MAX_WORDS && actual.split(/[\t\n\f\r ]+/).includes(value);
  });
};

/** Returns the index key of an innermost compound: its id, else a class, else the element, else any. */
export const toIndexKey = ({ id, classes, name }: Compound): string => {
  if (id !== null) return `#${id}`.toLowerCase();
  return (classes[0] === undefined ? (name ?? '*') : `.${classes[0]}`).toLowerCase();
};

/** Returns the index keys of the selectors that an element may match. */
export const indexKeys = ({ name, classes, attributes }: StyledElement): string[] => {
  const id = attributes.get('id');
  const keys = ['*', name, ...classes.map((each) => `.${each}`), ...(id === undefined ? [] : [`#${id}`])];
  return [...new Set(keys.map((key) => key.toLowerCase()))];
};
