/**
 * A tree of an HTML page, bounded in depth and size, so that later walks may recurse. Built in one pass of the parser:
 * linear for any input. (Readability over a light DOM took 15 s for a thousand nested elements.)
 */

import { type Handler, Parser } from 'htmlparser2';

export interface HtmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

/** Browsers nest 512 deep; the text of deeper elements goes to the last one that fits. */
const MAX_DEPTH = 256;
/**
 * An end tag costs the parser as much as is open. Beyond this the parser starts anew, in the last element that fits.
 */
const MAX_OPEN = 10_000;
/** Nodes beyond it are left out. Half a million take some 100 MB. */
const MAX_NODES = 400_000;
const MAX_ATTRIBUTE = 4_096;
/** Characters parsed between two checks of that bound. */
const PIECE = 16 * 1024;

/** Elements with content that is not text of the page. */
const WITHOUT_TEXT = new Set('script style template svg math canvas object iframe audio video map'.split(' '));

const KEPT_ATTRIBUTES = new Set(
  'id class role href src alt lang rel name content property http-equiv hidden aria-hidden aria-label style type colspan rowspan start'.split(
    ' ',
  ),
);

const OPTIONS = { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true };

const keptAttributes = (attributes: Record<string, string>): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (KEPT_ATTRIBUTES.has(name) && value !== undefined && value.length <= MAX_ATTRIBUTE) kept[name] = value;
  }
  return kept;
};

export const isElement = (node: HtmlNode): node is HtmlElement => typeof node !== 'string';

export const parseHtml = (html: string): HtmlElement => {
  const root: HtmlElement = { name: '#root', attributes: {}, children: [] };
  const open: HtmlElement[] = [root];
  let depth = 0;
  let skipped = 0;
  let nodes = 0;
  const handler: Partial<Handler> = {
    onopentag: (name, attributes) => {
      depth += 1;
      if (skipped > 0 || WITHOUT_TEXT.has(name)) skipped += 1;
      if (skipped > 0 || depth > MAX_DEPTH || ++nodes > MAX_NODES) return;
      const element = { name, attributes: keptAttributes(attributes), children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    onclosetag: () => {
      // Elements beyond a bound were not opened.
      if (open.length > depth) open.pop();
      depth -= 1;
      if (skipped > 0) skipped -= 1;
    },
    ontext: (text) => {
      if (skipped > 0 || ++nodes > MAX_NODES) return;
      const { children } = open.at(-1) ?? root;
      const last = children.at(-1);
      // The parser delivers a text in pieces.
      if (typeof last === 'string') children[children.length - 1] = last + text;
      else children.push(text);
    },
  };
  let parser = new Parser(handler, OPTIONS);
  for (let at = 0; at < html.length; at += PIECE) {
    if (depth > MAX_OPEN) {
      parser = new Parser(handler, OPTIONS);
      depth = open.length - 1;
    }
    parser.write(html.slice(at, at + PIECE));
  }
  parser.end();
  return root;
};

/** Depth first, in the order of the page. */
export function* elementsOf(element: HtmlElement): Generator<HtmlElement> {
  yield element;
  for (const child of element.children) if (isElement(child)) yield* elementsOf(child);
}

/** The text of an element on one line. */
export const textOf = (element: HtmlElement): string => {
  const parts: string[] = [];
  const walk = (each: HtmlElement): void => {
    for (const child of each.children) {
      if (typeof child === 'string') parts.push(child);
      else {
        if (!INLINE.has(child.name)) parts.push(' ');
        walk(child);
      }
    }
  };
  walk(element);
  return parts.join('').replace(/\s+/g, ' ').trim();
};

/** Elements that do not separate words. */
export const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
