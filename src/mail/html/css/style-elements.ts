/** Collects the style sheets of a mail. */

import { walkHtml } from '../walk-html.ts';

/** Characters of all `style` elements; Gmail accepts 16 KB. */
const MAX_CSS = 128 * 1024;
const EVERYWHERE = /^(?:all|screen)?$/;

/** Returns the sheets of one type and without a title that hold on every screen. */
export const collectStyles = (html: string): string[] => {
  const sheets: string[] = [];
  let left = MAX_CSS;
  let isSheet = false;
  walkHtml(html, {
    open: (name, attributes) => {
      const isCss = /^(?:text\/css)?$/i.test(attributes.get('type') ?? '') && !attributes.has('title');
      isSheet = name === 'style' && isCss && EVERYWHERE.test((attributes.get('media') ?? '').trim().toLowerCase());
    },
    close: () => {
      isSheet = false;
    },
    text: (text) => {
      if (!isSheet) return;
      sheets.push(text.slice(0, left));
      left -= Math.min(left, text.length);
    },
  });
  return sheets;
};
