/** Whether the HTML part of a mail says something else than its text part: which of them is shown is the reader's choice. */

import type { ReviewedHtml } from '../html/review.ts';
import { isSameText } from './same-text.ts';

/**
 * @param text the text part; '' where there is none
 * @param reviewed the reading of the HTML part; null where there is none
 * @returns the latter's text where it says otherwise, or more, than the text part, else null
 */
export const differingHtmlText = (text: string, reviewed: ReviewedHtml | null): string | null =>
  reviewed === null || (reviewed.isPlain && isSameText(text, reviewed.text)) ? null : reviewed.text;
