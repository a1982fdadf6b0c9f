/**
 * Walks HTML in one pass with the nesting that a browser builds, and calls a visitor at each start tag, end tag and
 * text. Linear for any input: builds no tree, and an unmatched end tag costs one look-up.
 */

import { Tokenizer } from 'htmlparser2';
import { CELLS, ENDED_BY, ROW_GROUPS, VOID } from './elements.ts';

/** Characters parsed of an HTML part; Gmail clips at 102 KB, newsletters reach a few hundred. */
export const MAX_HTML = 1024 * 1024;
/** Elements open at once. A browser limits nesting to 512; tags of deeper elements are skipped, their text is not. */
const MAX_DEPTH = 1000;
/** Attributes of an element, and characters of a value, which include long tracking links. */
const MAX_ATTRIBUTES = 50;
const MAX_VALUE = 8 * 1024;
const MAX_NAME = 64;

export type Attributes = ReadonlyMap<string, string>;

export interface Visitor {
  /** A void element is opened and closed at once. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** With character references decoded; called once per run between tags. */
  text(text: string): void;
  /** True once the visitor needs no more input. */
  readonly isDone?: boolean;
}

/**
 * The reach of an end tag. A table and a cell begin a scope of their own, so that a stray `</div>` in a cell does not
 * end the table (HTML section 13.2.4.2).
 */
interface Scope {
  kind: 'page' | 'table' | 'cell';
  names: Map<string, number>;
}

const NONE: Attributes = new Map();
const UNENDED: ReadonlySet<string> = new Set(['html', 'head', 'body']);

class Nesting {
  readonly #visitor: Visitor;
  readonly #open: string[] = [];
  readonly #scopes: Scope[] = [{ kind: 'page', names: new Map() }];

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  start(name: string, attributes: Attributes): void {
    if (VOID.has(name)) {
      if (ENDED_BY.has(name)) this.#endImplied(name);
      this.#visitor.open(name, attributes);
      this.#visitor.close(name);
      return;
    }
    const scope = this.#scope;
    if (CELLS.has(name) || name === 'tr' || ROW_GROUPS.has(name) || name === 'caption') {
      // Ignores cells and rows outside of a table, as browsers do.
      if (scope.kind === 'page') return;
      this.#endTablePart(name);
    } else {
      this.#endImplied(name);
      // A nested link ends the outer one (HTML section 13.2.6.4.7).
      if (name === 'a') this.#end('a');
    }
    if (this.#open.length >= MAX_DEPTH) return;
    this.#push(name);
    this.#visitor.open(name, attributes);
  }

  end(name: string): void {
    if (VOID.has(name)) {
      // Browsers treat `</br>` as `<br>`.
      if (name === 'br') this.start(name, NONE);
    } else if (name === 'table') this.#endScopes('table');
    else if (CELLS.has(name)) {
      if (this.#scope.kind === 'cell') this.#endScopes('cell');
    } else if (name === 'tr' || ROW_GROUPS.has(name)) {
      if (this.#scope.kind === 'cell') this.#endScopes('cell');
      this.#end(name);
    } else if (!UNENDED.has(name)) this.#end(name);
  }

  endAll(): void {
    while (this.#open.length > 0) this.#pop();
  }

  get #scope(): Scope {
    return this.#scopes.at(-1) as Scope;
  }

  #endImplied(name: string): void {
    const ended = ENDED_BY.get(name);
    if (!ended) return;
    while (ended.includes(this.#open.at(-1) ?? '') && this.#scope.names.size > 0) this.#pop();
  }

  /** A cell ends the open cell, a row the open row, a row group the open group. */
  #endTablePart(name: string): void {
    if (this.#scope.kind === 'cell') this.#endScopes('cell');
    if (CELLS.has(name)) return;
    this.#end('tr');
    if (name !== 'tr') for (const group of ROW_GROUPS) this.#end(group);
  }

  /** Ends the innermost open element of that name and its open descendants; does nothing where the scope has none. */
  #end(name: string): void {
    if (!this.#scope.names.get(name)) return;
    while (this.#pop() !== name);
  }

  /** Ends scopes up to and including the innermost one of a kind. */
  #endScopes(kind: 'table' | 'cell'): void {
    if (!this.#scopes.some((scope) => scope.kind === kind)) return;
    while (this.#scope.kind !== kind) this.#endScope();
    this.#endScope();
  }

  #endScope(): void {
    const depth = this.#scopes.length;
    while (this.#scopes.length === depth) this.#pop();
  }

  #push(name: string): void {
    this.#open.push(name);
    if (name === 'table') this.#scopes.push({ kind: 'table', names: new Map() });
    else if (CELLS.has(name)) this.#scopes.push({ kind: 'cell', names: new Map() });
    const { names } = this.#scope;
    names.set(name, (names.get(name) ?? 0) + 1);
  }

  #pop(): string {
    const name = this.#open.pop() as string;
    if (name === 'table' || CELLS.has(name)) this.#scopes.pop();
    else {
      const { names } = this.#scope;
      names.set(name, (names.get(name) ?? 1) - 1);
    }
    this.#visitor.close(name);
    return name;
  }
}

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
  oncdata(start: number, end: number, endOffset: number): void {
    void [start, end, endOffset];
  }
  onopentagname(start: number, end: number): void {
    this.#flush();
    this.#name = this.#html.slice(start, Math.min(end, start + MAX_NAME)).toLowerCase();
    this.#attributes = null;
  }
  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, Math.min(end, start + MAX_NAME)).toLowerCase();
    this.#value = '';
  }
  onattribdata(start: number, end: number): void {
    if (this.#value.length < MAX_VALUE) this.#value += this.#html.slice(start, Math.min(end, start + MAX_VALUE));
  }
  onattribentity(codepoint: number): void {
    if (this.#value.length < MAX_VALUE) this.#value += String.fromCodePoint(codepoint);
  }
  onattribend(): void {
    this.#attributes ??= new Map();
    // The first of repeated attributes counts (HTML section 13.2.5.33).
    if (this.#attributes.size < MAX_ATTRIBUTES && !this.#attributes.has(this.#attribute)) {
      this.#attributes.set(this.#attribute, this.#value);
    }
  }
  onopentagend(): void {
    this.#nesting.start(this.#name, this.#attributes ?? NONE);
  }
  onselfclosingtag(): void {
    this.onopentagend();
  }
  onclosetag(start: number, end: number): void {
    this.#flush();
    this.#nesting.end(this.#html.slice(start, Math.min(end, start + MAX_NAME)).toLowerCase());
  }
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {
    this.#flush();
    this.#nesting.endAll();
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
  const tokenizer = new Tokenizer({ decodeEntities: true }, new Tokens(bounded, visitor));
  for (let at = 0; at < bounded.length && !visitor.isDone; at += PIECE) tokenizer.write(bounded.slice(at, at + PIECE));
  tokenizer.end();
};
