/**
 * Walks HTML in one pass with the nesting that a browser builds, and calls a visitor at each start tag, end tag and
 * text. Linear for any input: builds no tree, and an unmatched end tag costs one look-up.
 */

import { Tokenizer } from 'htmlparser2';
import { Nesting, NO_ATTRIBUTES, type Visitor } from './nesting.ts';

/** Characters parsed of an HTML part; Gmail clips at 102 KB, newsletters reach a few hundred. */
export const MAX_HTML = 1024 * 1024;
/** Attributes of an element, and characters of a value, which include long tracking links. */
const MAX_ATTRIBUTES = 50;
const MAX_VALUE = 8 * 1024;
const MAX_NAME = 64;
/** Lowers ASCII letters alone, as HTML does: U+212A is no `k`. */
const lower = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Assembles the tokenizer's pieces: a tag with its attributes, a text with its character references. */
class Tokens {
  readonly #html: string;
  readonly #nesting: Nesting;
  readonly #visitor: Visitor;
  #text = '';
  #name = '';
  #attributes: Map<string, string> | null = null;
  #attribute = '';
  #value = '';

  constructor(html: string, visitor: Visitor) {
    this.#html = html;
    this.#visitor = visitor;
    this.#nesting = new Nesting(visitor);
  }

  ontext(start: number, end: number): void {
    this.#text += this.#html.slice(start, end);
  }
  ontextentity(codepoint: number): void {
    this.#text += String.fromCodePoint(codepoint);
  }
  oncdata(): void {}
  onopentagname(start: number, end: number): void {
    this.#flush();
    const name = this.#readName(start, end);
    // Browsers treat `<image>` as `<img>`.
    this.#name = name === 'image' ? 'img' : name;
    this.#attributes = null;
  }
  onattribname(start: number, end: number): void {
    this.#attribute = this.#readName(start, end);
    this.#value = '';
  }
  onattribdata(start: number, end: number): void {
    this.#addValue(this.#html.slice(start, Math.min(end, start + MAX_VALUE + 1)));
  }
  onattribentity(codepoint: number): void {
    this.#addValue(String.fromCodePoint(codepoint));
  }
  onattribend(): void {
    this.#attributes ??= new Map();
    // The first of repeated attributes counts (HTML section 13.2.5.33).
    if (this.#attributes.has(this.#attribute)) return;
    if (this.#attributes.size < MAX_ATTRIBUTES) this.#attributes.set(this.#attribute, this.#value);
  }
  onopentagend(): void {
    this.#nesting.start(this.#name, this.#attributes ?? NO_ATTRIBUTES);
  }
  onselfclosingtag(): void {
    this.onopentagend();
  }
  onclosetag(start: number, end: number): void {
    this.#flush();
    this.#nesting.end(this.#readName(start, end));
  }
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {
    this.#flush();
    this.#nesting.endAll();
  }

  #readName(start: number, end: number): string {
    return lower(this.#html.slice(start, Math.min(end, start + MAX_NAME)));
  }

  #addValue(piece: string): void {
    if (this.#value.length < MAX_VALUE) this.#value = `${this.#value}${piece}`.slice(0, MAX_VALUE);
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#visitor.text(this.#text);
    this.#text = '';
  }
}

/** Characters per tokenizer write; the visitor's `isDone` is checked after each. */
const PIECE = 16 * 1024;

export const walkHtml = (html: string, visitor: Visitor): void => {
  const bounded = html.slice(0, MAX_HTML);
  const tokens = new Tokens(bounded, visitor);
  const tokenizer = new Tokenizer({ decodeEntities: true }, tokens);
  for (let at = 0; at < bounded.length && !visitor.isDone; at += PIECE) tokenizer.write(bounded.slice(at, at + PIECE));
  tokenizer.end();
};
