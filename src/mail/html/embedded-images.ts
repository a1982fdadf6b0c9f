/** Embedded images (RFC 2392): `cid:` names a part of the same mail. */

import { escapeHtml } from './escape-html.ts';

const EMBEDDED = /(<img\b[^>]*?\bsrc=")cid:([^"]{1,998})(")/gi;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('&amp;', '&'));
  } catch {
    return text;
  }
};

/**
 * Points the images of sanitised HTML to the mail's attachments.
 * @param urlOf the URL of the attachment with that Content-ID, which comes without angle brackets; null: there is none
 */
export const linkEmbeddedImages = (html: string, urlOf: (contentId: string) => string | null): string =>
  html.replace(EMBEDDED, (whole, before: string, contentId: string, after: string) => {
    const url = urlOf(decode(contentId));
    return url === null ? whole.replace(/\bsrc="[^"]*"/, '') : `${before}${escapeHtml(url)}${after}`;
  });
