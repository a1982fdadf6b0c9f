/**
 * Parses the `style` elements of a mail as far as they affect visibility: rules outside of conditions (`@media`),
 * matched by element, class, id and attribute, with descendant and child combinators. Any other selector matches
 * nothing.
 */

import { type Declarations, readDeclarations, withoutComments } from './declarations.ts';
import type { Attributes } from './walk-html.ts';

/** An open element, with the members that selectors match. */
export interface StyledElement {
  name: string;
  attributes: Attributes;
  classes: readonly string[];
}

interface Compound {
  name: string | null;
  id: string | null;
  classes: string[];
  attributes: { name: string; value: string | null; word: boolean }[];
  /** Whether it must match the parent of the compound after it. */
  isParent: boolean;
}

interface Rule {
  /** The element itself, then its ancestors from the inside out. */
  selector: Compound[];
  specificity: number;
  order: number;
  declarations: Declarations;
}

export interface Stylesheet {
  /** Returns the matching rules in ascending precedence. @param ancestors the element's own, outermost first */
  matching(element: StyledElement, ancestors: readonly StyledElement[]): readonly Declarations[];
}

/** Characters of all `style` elements; Gmail accepts 16 KB. */
const MAX_CSS = 128 * 1024;
const MAX_RULES = 1000;
const MAX_SELECTORS = 20;
/** Characters of a selector, and its compounds. */
const MAX_SELECTOR = 300;
const MAX_COMPOUNDS = 6;
/** Compounds compared per mail, over all elements: beyond it no rule applies. */
const MAX_COMPARISONS = 2_000_000;

/** Properties that affect visibility or separation of text; rules without any are dropped. */
const RELEVANT =
  /display|visibility|opacity|font|color|background|height|width|overflow|position|left|top|right|bottom|indent|clip|transform|margin|filter|white-space|mask/i;
const STYLE_TAG = /^<style(?:\s[^>]{0,1000})?>/i;
const SCREEN = /^\s*(?:all|screen)?\s*$/i;
const MEDIA = /\smedia\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i;
const COMPOUND =
  /^(?:(\*|[a-z][\w-]*))?((?:[.#][\w-]+|\[\s*[\w-]+\s*(?:~?=\s*(?:"[^"\]]*"|'[^'\]]*'|[\w-]+)\s*)?\])*)$/i;
const SIMPLE = /\.([\w-]+)|#([\w-]+)|\[\s*([\w-]+)\s*(?:(~?)=\s*(?:"([^"\]]*)"|'([^'\]]*)'|([\w-]+))\s*)?\]/g;

/** Collects the text of the style elements, except those in comments (`<!--[if mso]>`). */
const collectStyles = (html: string): string => {
  const start = /<!--|<style(?=[\s>])/gi;
  const end = /<\/style/gi;
  let css = '';
  for (let found = start.exec(html); found && css.length < MAX_CSS; found = start.exec(html)) {
    if (found[0] === '<!--') {
      const close = html.indexOf('-->', found.index + 2);
      if (close < 0) break;
      start.lastIndex = close + 3;
      continue;
    }
    const open = STYLE_TAG.exec(html.slice(found.index, found.index + 1024))?.[0];
    if (open === undefined) continue;
    end.lastIndex = found.index + open.length;
    const stop = end.exec(html)?.index ?? html.length;
    const media = MEDIA.exec(open);
    const isForScreens = SCREEN.test(media?.[1] ?? media?.[2] ?? media?.[3] ?? '');
    if (isForScreens) css += `${html.slice(found.index + open.length, stop)}\n`;
    start.lastIndex = stop;
  }
  return css.slice(0, MAX_CSS);
};

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

const parseSelector = (text: string): Compound[] | null => {
  if (text.length > MAX_SELECTOR) return null;
  const parts = text
    .trim()
    .replace(/\s*>\s*/g, '>')
    .split(/(?=>)|\s+/);
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

const computeSpecificity = (selector: readonly Compound[]): number =>
  selector.reduce(
    (sum, { name, id, classes, attributes }) =>
      sum + (id === null ? 0 : 10_000) + 100 * (classes.length + attributes.length) + (name === null ? 0 : 1),
    0,
  );

/** Parses top-level rules; the content of an at-rule's block is skipped with it. */
const parseRules = (css: string): Rule[] => {
  const rules: Rule[] = [];
  let at = 0;
  while (at < css.length && rules.length < MAX_RULES) {
    const open = css.indexOf('{', at);
    if (open < 0) break;
    // An at-rule without a block (`@import`, `@charset`) ends before the selector begins.
    const before = css.slice(at, open);
    const prelude = before.slice(before.lastIndexOf(';') + 1).trim();
    const close = prelude.startsWith('@') ? blockEnd(css, open) : css.indexOf('}', open);
    const end = close < 0 ? css.length : close;
    const block = css.slice(open + 1, end);
    if (!prelude.startsWith('@') && RELEVANT.test(block)) {
      const declarations = readDeclarations(block);
      for (const text of prelude.replace(/<!--|-->/g, '').split(',', MAX_SELECTORS)) {
        const selector = parseSelector(text);
        if (selector) {
          rules.push({ selector, specificity: computeSpecificity(selector), order: rules.length, declarations });
        }
      }
    }
    at = end + 1;
  }
  return rules;
};

/** Returns the offset of the bracket that closes the one at `open`; -1 without one. */
const blockEnd = (css: string, open: number): number => {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    const character = css.charCodeAt(at);
    if (character === 0x7b) depth += 1;
    else if (character === 0x7d) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
};

const fits = (compound: Compound, element: StyledElement): boolean => {
  if (compound.name !== null && compound.name !== element.name) return false;
  if (compound.id !== null && compound.id !== element.attributes.get('id')) return false;
  if (!compound.classes.every((name) => element.classes.includes(name))) return false;
  return compound.attributes.every(({ name, value, word }) => {
    const actual = element.attributes.get(name);
    if (actual === undefined || value === null) return actual !== undefined;
    return word ? actual.split(/\s+/).includes(value) : actual === value;
  });
};

/** Returns the index key of a rule's innermost compound: its id, else a class, else the element, else any. */
const toIndexKey = ({ id, classes, name }: Compound): string => {
  if (id !== null) return `#${id}`;
  return classes[0] === undefined ? (name ?? '*') : `.${classes[0]}`;
};

/** @returns null where no rule of the mail affects visibility */
export const readStylesheet = (html: string): Stylesheet | null => {
  if (!/<style/i.test(html)) return null;
  const rules = parseRules(withoutComments(collectStyles(html)));
  if (rules.length === 0) return null;
  const byKey = new Map<string, Rule[]>();
  for (const rule of rules) {
    const key = toIndexKey(rule.selector[0] as Compound);
    byKey.set(key, [...(byKey.get(key) ?? []), rule]);
  }
  let comparisons = 0;

  const applies = ({ selector }: Rule, element: StyledElement, ancestors: readonly StyledElement[]): boolean => {
    comparisons += 1;
    if (!fits(selector[0] as Compound, element)) return false;
    let above = ancestors.length - 1;
    for (const compound of selector.slice(1)) {
      let isFound = false;
      while (above >= 0 && !isFound) {
        comparisons += 1;
        isFound = fits(compound, ancestors[above] as StyledElement);
        above -= 1;
        if (compound.isParent) break;
      }
      if (!isFound) return false;
    }
    return true;
  };

  return {
    matching: (element, ancestors) => {
      if (comparisons > MAX_COMPARISONS) return [];
      const id = element.attributes.get('id');
      const keys = [
        '*',
        element.name,
        ...element.classes.map((name) => `.${name}`),
        ...(id === undefined ? [] : [`#${id}`]),
      ];
      return keys
        .flatMap((key) => byKey.get(key) ?? [])
        .filter((rule) => applies(rule, element, ancestors))
        .sort((a, b) => a.specificity - b.specificity || a.order - b.order)
        .map(({ declarations }) => declarations);
    },
  };
};
