/**
 * Walks HTML in one pass with the nesting that a browser builds, and calls a visitor at each start tag, end tag and
 * text. Linear for any input: builds no tree, and an unmatched end tag costs one look-up.
 */

import { Tokenizer } from 'htmlparser2';
import { FOREIGN, INERT, RAW_TEXT } from './elements.ts';
import { Nesting, NO_ATTRIBUTES, type Visitor } from './nesting.ts';

/** Characters parsed of an HTML part; Gmail clips at 102 KB, newsletters reach a few hundred. */
export const MAX_HTML = 1024 * 1024;
/** Attributes of an element, and characters of a value, which include long tracking links. */
const MAX_ATTRIBUTES = 50;
const MAX_VALUE = 8 * 1024;
const MAX_NAME = 64;
/** Attributes whose values are addresses of what is loaded, embedded pictures among them. */
const LOADED: ReadonlySet<string> = new Set(['src', 'srcset', 'background', 'data']);
const CDATA = '<![CDATA[';

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
  #isFollowed = true;
  /** Open elements whose content is parsed otherwise or applies to nothing; a foreign one counts to the end. */
  #apart = 0;
  #isForeign = false;

  constructor(html: string, visitor: Visitor) {
    this.#html = html;
    this.#visitor = visitor;
    this.#nesting = new Nesting(visitor);
  }

  get isFollowed(): boolean {
    return this.#isFollowed && this.#nesting.isFollowed;
  }

  ontext(start: number, end: number): void {
    this.#text += this.#html.slice(start, end);
  }
  ontextentity(codepoint: number): void {
    this.#text += String.fromCodePoint(codepoint);
  }
  oncdata(start: number, end: number): void {
    this.#readCdata(start, end);
  }
  onopentagname(start: number, end: number): void {
    this.#flush();
    const name = this.#readName(start, end);
    // Browsers treat `<image>` as `<img>`, outside of drawings.
    this.#name = name === 'image' && !this.#isForeign ? 'img' : name;
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
    else this.#isFollowed = false;
  }
  onopentagend(): void {
    const name = this.#name;
    if (FOREIGN.has(name)) this.#isForeign = true;
    if (RAW_TEXT.has(name) && (this.#isForeign || this.#apart > 0)) this.#isFollowed = false;
    if (INERT.has(name)) this.#apart += 1;
    // It replaces the page.
    if (name === 'frameset') this.#isFollowed = false;
    this.#nesting.start(name, this.#attributes ?? NO_ATTRIBUTES);
  }
  onselfclosingtag(): void {
    this.onopentagend();
  }
  onclosetag(start: number, end: number): void {
    this.#checkScript();
    this.#flush();
    // The tokenizer ends the tag at the first `>`, a browser after the quoted values in it.
    const close = this.#html.indexOf('>', end);
    if (/["']/.test(this.#html.slice(end, close < 0 ? undefined : close))) this.#isFollowed = false;
    const name = this.#readName(start, end);
    if (INERT.has(name)) this.#apart = Math.max(0, this.#apart - 1);
    this.#nesting.end(name);
  }
  oncomment(start: number, end: number): void {
    const isCdata = [2, CDATA.length].some((before) => this.#html.startsWith(CDATA, start - before));
    if (isCdata) this.#readCdata(start, end);
    // A program with scripts ends the element within the comment.
    else if (this.#apart > 0) this.#isFollowed = false;
  }
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {
    this.#flush();
    this.#nesting.endAll();
  }

  #readName(start: number, end: number): string {
    if (end - start > MAX_NAME) this.#isFollowed = false;
    return lower(this.#html.slice(start, Math.min(end, start + MAX_NAME)));
  }

  #addValue(piece: string): void {
    this.#value += piece;
    if (this.#value.length <= MAX_VALUE) return;
    this.#value = this.#value.slice(0, MAX_VALUE);
    if (!LOADED.has(this.#attribute)) this.#isFollowed = false;
  }

  /** HTML ends it at the first `>`; in a drawing or a formula it is text (HTML section 13.2.5.42). */
  #readCdata(start: number, end: number): void {
    if (this.#isForeign || this.#html.slice(start, end).includes('>')) this.#isFollowed = false;
  }

  /** `<!--` and `<script` within a script have the first end tag end nothing (HTML section 13.2.5.20). */
  #checkScript(): void {
    if (this.#name !== 'script') return;
    const comment = this.#text.indexOf('<!--');
    if (comment >= 0 && /<script/i.test(this.#text.slice(comment))) this.#isFollowed = false;
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#visitor.text(this.#text);
    this.#text = '';
  }
}

/** Characters per tokenizer write; the visitor's `isDone` is checked after each. */
const PIECE = 16 * 1024;

/** @returns whether what was read is read as by a browser; if not, it may show other words */
export const walkHtml = (html: string, visitor: Visitor): boolean => {
  const bounded = html.slice(0, MAX_HTML);
  const tokens = new Tokens(bounded, visitor);
  const tokenizer = new Tokenizer({ decodeEntities: true }, tokens);
  for (let at = 0; at < bounded.length && !visitor.isDone; at += PIECE) tokenizer.write(bounded.slice(at, at + PIECE));
  tokenizer.end();
  return tokens.isFollowed;
};
