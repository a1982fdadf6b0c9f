/** Whether the HTML part of a mail says something else than its text part: which of them is shown is the reader's choice. */

import { htmlToText } from './html.ts';

/** What both kinds of part have in common, whatever their markup. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * @param text the text part; '' where there is none
 * @returns the text of the HTML part, its links with their addresses; null where it reads as the text part does
 */
export const differingHtmlText = (text: string, html: string | null): string | null => {
  if (html === null) return null;
  const shown = htmlToText(html);
  return lettersOf(shown) === lettersOf(text) ? null : shown;
};
