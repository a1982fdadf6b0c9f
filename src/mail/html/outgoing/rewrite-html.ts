/**
 * Rewrites HTML to the small language of outgoing mail, in which nothing can hide, cover or move a word: a reviewer
 * sees what is sent. Every program reads it in the order of the source.
 */

import { escapeHtml } from '../escape-html.ts';
import type { Attributes, Visitor } from '../nesting.ts';
import { readHtml } from '../read-html.ts';
import { MAX_HTML } from '../walk-html.ts';
import { PageRewriter } from './page-rewriter.ts';
import { parsePage } from './page-tree.ts';

export interface RewrittenHtml {
  html: string;
  /** Its text, with the addresses of its links in brackets. */
  text: string;
  /** What the rewriting took away, as docs/sending names it. */
  changed: string[];
  /** Whether the text is complete. */
  isWhole: boolean;
}

/** Losses that are named. */
const MAX_NAMED = 30;

class Serializer implements Visitor {
  html = '';
  #isVoid = false;

  open(name: string, attributes: Attributes): void {
    this.html += `<${name}`;
    for (const [key, value] of attributes) this.html += ` ${key}="${escapeHtml(value)}"`;
    this.html += '>';
    this.#isVoid = name === 'br' || name === 'hr' || name === 'img';
  }
  close(name: string): void {
    if (this.#isVoid) this.#isVoid = false;
    else this.html += `</${name}>`;
  }
  text(text: string): void {
    this.html += escapeHtml(text);
  }
}

/** Writes the text alone, line by line, of a page that exceeds the bounds. */
const rewriteAsText = (html: string): RewrittenHtml => {
  const { text, isCut } = readHtml(html);
  const lines = text.split('\n').map((line) => escapeHtml(line));
  return { html: `<div>${lines.join('<br>\n')}</div>`, text, changed: ['structure'], isWhole: !isCut };
};

/** Bounded in time and result; never throws. Rewriting the result again changes nothing. */
export const rewriteHtml = (html: string): RewrittenHtml => {
  const page = parsePage(html.slice(0, MAX_HTML));
  if (page === null) return rewriteAsText(html);
  const losses = new Set<string>();
  const serializer = new Serializer();
  const isFollowed = new PageRewriter(serializer, losses).rewrite(page);
  if (!isFollowed) return rewriteAsText(html);
  // A parser drops blanks before the first element.
  const rewritten = serializer.html.trimStart();
  const { text, isCut, hasHidden } = readHtml(rewritten, { wholeAddresses: true });
  return {
    html: rewritten,
    text,
    changed: [...losses].slice(0, MAX_NAMED),
    isWhole: !isCut && !hasHidden && html.length <= MAX_HTML,
  };
};
