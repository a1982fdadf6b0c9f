/** Quotes a forwarded mail below the forwarder's note. */

import { formatNamed, type NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { mailDate } from '../header/trace-fields.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { sanitizeMailHtml } from '../html/sanitize-html.ts';
import { renderMarkdown } from './render-markdown.ts';
import { cleanSubject } from './reply-fields.ts';

export interface ForwardedMail {
  /** The forwarder's text above the original, Markdown or plain text; may be empty. */
  note: string;
  from: NamedAddress | null;
  date: Millis | null;
  subject: string;
  to: readonly NamedAddress[];
  cc: readonly NamedAddress[];
  text: string;
  /** As received; sanitised here. */
  html: string | null;
}

/** Builds a draft's `body` and `html` that contain a message inline, below the note and the usual header block. */
export const forwardInline = (mail: ForwardedMail): { body: string; html: string } => {
  const about = [
    ['From', mail.from && formatNamed(mail.from)],
    ['Date', mail.date === null ? null : mailDate(mail.date)],
    ['Subject', cleanSubject(mail.subject)],
    ['To', mail.to.map(formatNamed).join(', ') || null],
    ['Cc', mail.cc.map(formatNamed).join(', ') || null],
  ].flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]));
  const block = ['---------- Forwarded message ---------', ...about];
  const note = mail.note.trimEnd();
  const original = mail.html === null ? escapeHtml(mail.text).replace(/\r?\n/g, '<br>\n') : sanitizeMailHtml(mail.html);
  return {
    body: `${note === '' ? '' : `${note}\n\n`}${block.join('\n')}\n\n${mail.text}`,
    html: `${note === '' ? '' : renderMarkdown(note)}<div>${block.map(escapeHtml).join('<br>\n')}</div>\n<br>\n<div>${original}</div>\n`,
  };
};
