/** Makes the bytes of a mail from a draft. */

import { compose, withPixel } from '../../mail/compose/compose-message.ts';
import { renderMarkdown } from '../../mail/compose/render-markdown.ts';
import { rewriteHtml } from '../../mail/html/outgoing/rewrite-html.ts';
import { convert8bitTo7bit } from '../../mail/mime/convert-8bit.ts';
import { parseMail, summarizeAttachments } from '../../mail/mime/parse-message.ts';
import { isSameText } from '../../mail/text/same-words.ts';
import { toSnippet } from '../../mail/text/snippet.ts';
import { toStoredMail } from '../compression.ts';
import { findLeaks } from '../find-leak.ts';
import type { Composed, Input } from '../tasks.ts';
import { hashBody } from './hash-body.ts';
import { mailPieces } from './searched-pieces.ts';

export const composeMail = async ({ draft: given, pixelUrl, leakIndex, bcc }: Input<'compose'>): Promise<Composed> => {
  const { html, text, changed, isWhole } = rewriteHtml(given.html ?? renderMarkdown(given.body));
  // HTML without a body gets a text part made from it.
  const body = given.body.trim() === '' && given.html !== undefined ? text : given.body;
  const draft = { ...given, body };
  const raw = convert8bitTo7bit(
    await compose({ ...draft, html: pixelUrl === null ? html : withPixel(html, pixelUrl) }),
  );
  // Read by the same parser that later serves the attachments.
  const sent = draft.attachments.length > 0 || leakIndex !== null ? await parseMail(raw) : null;
  const htmlText = isSameText(body, text) ? null : text;
  const htmlIs = given.html === undefined ? 'text' : 'html';
  return {
    ...toStoredMail(raw, body),
    subject: draft.subject,
    snippet: toSnippet(body),
    text: body,
    htmlText,
    bodyHash: hashBody({ text: body, htmlText }),
    htmlChanged: changed,
    isWhole,
    attachments: sent ? summarizeAttachments(sent.attachments) : [],
    secretsFound: sent ? await findLeaks(leakIndex, mailPieces({ sent, bytes: raw, recipients: bcc, htmlIs })) : [],
  };
};
