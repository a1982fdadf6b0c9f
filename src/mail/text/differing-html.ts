/** Detects an HTML part that differs from the text part: the recipient's mail program chooses which of them to display. */

import type { ReviewedHtml } from '../html/review-html.ts';
import { isSameText } from './same-text.ts';

/**
 * @param text the text part; '' without one
 * @param reviewed the review of the HTML part; null without one
 * @returns the text of the HTML part where it differs from the text part or exceeds it, else null
 */
export const differingHtmlText = (text: string, reviewed: ReviewedHtml | null): string | null =>
  reviewed === null || (reviewed.isPlain && isSameText(text, reviewed.text)) ? null : reviewed.text;
