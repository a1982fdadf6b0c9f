/** Splits outgoing mail into the pieces that are searched for secrets, each with the part's name for a reviewer. */

import type { ParsedMail } from '../../mail/mime/parse-message.ts';
import { htmlPieces, type LeakPiece } from '../find-leak.ts';

const HTML_FILE = /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)|\.(?:x?html?|svg)$/i;

function* attachmentPieces({ attachments }: Pick<ParsedMail, 'attachments'>): Iterable<LeakPiece> {
  for (const { filename, contentType, content } of attachments) {
    const where = `attachment ${filename}`;
    yield { where: `name of ${where}`, content: filename };
    if (HTML_FILE.test(contentType) || HTML_FILE.test(filename))
      yield* htmlPieces(Buffer.from(content).toString(), where);
    yield { where, content };
  }
}

export interface SearchedMail {
  sent: ParsedMail;
  bytes: Uint8Array;
  /** Recipients of the envelope: their names and addresses. */
  recipients: readonly string[];
  /** The name of the HTML part for a reviewer; `text` where only text was given. */
  htmlIs?: 'text' | 'html';
}

/** All of a mail as it goes out: its envelope, its parts as programs read them, and its bytes. */
export function* mailPieces({ sent, bytes, recipients, htmlIs }: SearchedMail): Iterable<LeakPiece> {
  const isSubject = ({ name }: { name: string }) => name.toLowerCase() === 'subject';
  const { subject = [], header = [] } = Object.groupBy(sent.headers, (field) =>
    isSubject(field) ? 'subject' : 'header',
  );
  yield { where: 'subject', content: subject.map(({ value }) => value).join('\0') };
  yield { where: 'header', content: header.map(({ value }) => value).join('\0') };
  yield { where: 'header', content: recipients.join('\0') };
  yield { where: 'text', content: sent.text };
  yield { where: htmlIs ?? 'text', content: sent.otherText };
  if (sent.html !== null) yield* htmlPieces(sent.html, htmlIs ?? 'html');
  yield* attachmentPieces({ attachments: sent.attachments });
  // Also the bytes that no program shows.
  yield { where: 'source', content: bytes, isWhole: true };
}
