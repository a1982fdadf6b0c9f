/** Quoted history and signatures in HTML, by the names that mail programs give them. */

import type { Attributes } from './nesting.ts';

/** The line above a signature (RFC 3676 section 4.3), as a text that stands alone on its line. */
const SIGNATURE_MARK = /^\s*--[ \u00a0]?\s*$/;

export const isSignatureMark = (text: string): boolean => SIGNATURE_MARK.test(text);

/** What is folded: the element, or all from it to the end of its parent. */
export interface Fold {
  words: 'Quoted text' | 'Signature';
  reach: 'element' | 'rest';
}

const QUOTE_CLASS =
  /(?:^|\s)(?:x_)*(?:gmail_quote(?:_container)?|yahoo_quoted|protonmail_quote|tutanota_quote|zmail_extra)(?:\s|$)/;
const SIGNATURE_CLASS = /(?:^|\s)(?:x_)*(?:gmail_signature|moz-signature|protonmail_signature_block)(?:\s|$)/;
/** Elements of Outlook: the history stands beside such an element, not in it. */
const HISTORY_ID = /^(?:x_)*(?:divRplyFwdMsg|mail-editor-reference-message-container)$/;
const SIGNATURE_ID = /^(?:x_)*(?:Signature|ms-outlook-mobile-signature|AppleMailSignature)$/;

export const foldOf = (name: string, attributes: Attributes): Fold | null => {
  const of = attributes.get('class') ?? '';
  const id = attributes.get('id') ?? '';
  if (HISTORY_ID.test(id)) return { words: 'Quoted text', reach: 'rest' };
  if (QUOTE_CLASS.test(of) || name === 'blockquote') return { words: 'Quoted text', reach: 'element' };
  return SIGNATURE_CLASS.test(of) || SIGNATURE_ID.test(id) ? { words: 'Signature', reach: 'element' } : null;
};
