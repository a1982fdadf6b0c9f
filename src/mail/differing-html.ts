/** Whether the HTML part of a mail says something else than its text part: which of them is shown is the reader's choice. */

/** What both kinds of part have in common, whatever their markup. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

export const isSameText = (one: string, other: string): boolean => lettersOf(one) === lettersOf(other);

/**
 * @param text the text part; '' where there is none
 * @param htmlText the text of the HTML part, its links with their addresses; null where there is none
 * @returns the latter where it reads otherwise than the text part, else null
 */
export const differingHtmlText = (text: string, htmlText: string | null): string | null =>
  htmlText === null || isSameText(text, htmlText) ? null : htmlText;
