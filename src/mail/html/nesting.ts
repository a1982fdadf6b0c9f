/** Keeps the elements that are open, with the nesting that a browser builds. */

import { CELLS, ENDED_BY, ROW_GROUPS, VOID } from './elements.ts';

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

/** Elements open at once. A browser limits nesting to 512; tags of deeper elements are skipped, their text is not. */
const MAX_DEPTH = 1000;

/**
 * The reach of an end tag. A table and a cell begin a scope of their own, so that a stray `</div>` in a cell does not
 * end the table (HTML section 13.2.4.2).
 */
interface Scope {
  kind: 'page' | 'table' | 'cell';
  names: Map<string, number>;
}

const UNENDED: ReadonlySet<string> = new Set(['html', 'head', 'body']);

export const NO_ATTRIBUTES: Attributes = new Map();

export class Nesting {
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
      if (name === 'br') this.start(name, NO_ATTRIBUTES);
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
