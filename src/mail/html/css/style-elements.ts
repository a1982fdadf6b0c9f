/** Collects the style sheets of a mail. */

import { MAX_HTML, walkHtml } from '../walk-html.ts';

export interface StyleElement {
  css: string;
  /** The media query that it is for, or that only some programs read it; '' for all. */
  condition: string;
}

export interface StyleElements {
  styles: StyleElement[];
  /** Whether something was left out. */
  isCut: boolean;
}

/** Characters of all `style` elements; Gmail accepts 16 KB. */
const MAX_CSS = 128 * 1024;

/** Conditional comments, which Outlook alone reads. */
const CONDITIONAL = { start: '<!--[if', body: '>', end: '<![endif]' };

/** Returns the HTML within conditional comments. */
export const conditionalParts = (html: string): string[] => {
  const parts: string[] = [];
  for (let start = html.indexOf(CONDITIONAL.start); start >= 0; ) {
    const body = html.indexOf(CONDITIONAL.body, start);
    const end = body < 0 ? -1 : html.indexOf(CONDITIONAL.end, body);
    if (end < 0) break;
    parts.push(html.slice(body + 1, end));
    start = html.indexOf(CONDITIONAL.start, end);
  }
  return parts;
};

export const collectStyles = (html: string, { withConditional = false } = {}): StyleElements => {
  const styles: StyleElement[] = [];
  let left = MAX_CSS;
  let isCut = false;
  const collect = (part: string, program: string): void => {
    let condition: string | null = null;
    walkHtml(part, {
      open: (name, attributes) => {
        const read = `${program}${attributes.get('media') ?? ''}`.trim().toLowerCase();
        // Browsers read one type, and of titled sheets those of one title.
        const isOther = !/^(?:text\/css)?$/i.test(attributes.get('type') ?? '') || attributes.has('title');
        condition = name === 'style' ? `${isOther ? 'other ' : ''}${read}` : null;
      },
      close: () => {
        condition = null;
      },
      text: (text) => {
        if (condition === null) return;
        isCut ||= text.length > left;
        styles.push({ css: text.slice(0, left), condition });
        left -= Math.min(left, text.length);
      },
    });
  };
  collect(html, '');
  if (withConditional) for (const part of conditionalParts(html.slice(0, MAX_HTML))) collect(part, 'outlook ');
  return { styles, isCut };
};
