/** Reads a message as a stranger sent it: never throws, never waits, and says in `defects` what it could not read. */

import { extensionOf, nameAttachments } from './attachment-names.ts';
import { HEAD_LIMITS, type HeadLimits, type MailHead, type ReadMessage, readMessage } from './head.ts';
import { escapeHtml, htmlToText } from './html.ts';
import { type FilePart, type PartLimits, readParts, type TextPart } from './mime-parts.ts';
import { TEXT_CUT } from './text-limit.ts';

export interface ParsedAttachment {
  /** Unique within the message, without a path, never empty. */
  filename: string;
  /** In lower case, without parameters; as the sender declared it. */
  contentType: string;
  /** The same with its parameters. */
  mediaType: string;
  /** Octets. */
  size: number;
  /** Without its angle brackets, as `cid:` links name it. */
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

/** An attachment as a message's row has it. */
export type AttachmentSummary = Pick<ParsedAttachment, 'filename' | 'contentType' | 'size' | 'contentId'>;

/** What is stored of attachments: the one list that all others are made from, so that a name is the same everywhere. */
export const summarizeAttachments = (attachments: readonly ParsedAttachment[]): AttachmentSummary[] =>
  attachments.map(({ filename, contentType, size, contentId }) => ({ filename, contentType, size, contentId }));

export interface ParsedMail extends MailHead {
  /** Plain text with bare LF; made from the HTML where there is no text part. */
  text: string;
  /** As sent, not sanitised. */
  html: string | null;
  attachments: ParsedAttachment[];
}

export interface ParseLimits extends HeadLimits, PartLimits {
  /** Characters of `text` and of `html`, each. */
  readonly textChars: number;
}

export const PARSE_LIMITS: ParseLimits = {
  ...HEAD_LIMITS,
  // A message with more is taken as text: the splitter gives up all at once.
  parts: 1000,
  partHeaderBytes: 64 * 1024,
  textChars: 4 * 1024 * 1024,
};

/** Text parts that stand after others and bear a file's name are files (as RFC 8621 section 4.1.4 has it). */
const partNamedTexts = (texts: TextPart[]): { shown: TextPart[]; named: FilePart[] } => {
  const isFile = (part: TextPart, index: number): boolean =>
    index > 0 && part.filename !== null && part.alternative === null;
  return {
    shown: texts.filter((part, index) => !isFile(part, index)),
    named: texts.filter(isFile).map((part) => ({
      filename: part.filename,
      contentType: part.html ? 'text/html' : 'text/plain',
      // Decoded, whatever it came in.
      mediaType: `${part.html ? 'text/html' : 'text/plain'}; charset=utf-8`,
      contentId: null,
      inline: true,
      content: Buffer.from(part.content),
    })),
  };
};

/** Joins the shown parts into one text and one HTML: of an alternative each takes its reading, of the rest both take all. */
const joinTexts = (parts: TextPart[]): { text: string; html: string | null } => {
  const read = (html: boolean): Set<object | null> =>
    new Set(parts.filter((part) => part.html === html && part.content.trim() !== '').map((part) => part.alternative));
  const withText = read(false);
  const withHtml = read(true);
  const hasOther = (others: Set<object | null>, part: TextPart): boolean =>
    part.alternative !== null && others.has(part.alternative);

  const text = parts
    .filter((part) => !part.html || !hasOther(withText, part))
    .map((part) => (part.html ? htmlToText(part.content) : part.content));
  const html = parts
    .filter((part) => part.html || !hasOther(withHtml, part))
    .map((part) => (part.html ? part.content : `<pre>${escapeHtml(part.content)}</pre>`));
  return { text: text.join('\n'), html: parts.some((part) => part.html) ? html.join('\n') : null };
};

/** Reads one message from its bytes, CRLF or LF. */
export const parseMail = (raw: Buffer, limits: ParseLimits = PARSE_LIMITS): Promise<ParsedMail> =>
  parseMessage(readMessage(raw, limits), limits);

/**
 * Reads the body of a message whose header was read.
 * @returns what could be read; `defects` names what the standard has otherwise, each once
 * @see RFC 5322, RFC 2045 to 2047, RFC 2231
 */
export const parseMessage = async (
  { head, fields, body }: ReadMessage,
  limits: ParseLimits = PARSE_LIMITS,
): Promise<ParsedMail> => {
  const mime = await readParts(fields, body, limits);
  const defects = [...head.defects, ...mime.defects];

  const { shown, named } = partNamedTexts(mime.texts);
  const { text, html } = joinTexts(shown);
  if (text.length > limits.textChars || (html?.length ?? 0) > limits.textChars) defects.push(TEXT_CUT);

  const files = [...mime.files, ...named];
  const filenames = nameAttachments(files);
  return {
    ...head,
    text: text.slice(0, limits.textChars),
    html: html?.slice(0, limits.textChars) ?? null,
    attachments: files.map(({ contentType, mediaType, contentId, inline, content }, index) => ({
      filename: filenames[index] ?? `attachment-${index + 1}.${extensionOf(contentType)}`,
      contentType,
      mediaType,
      size: content.length,
      contentId,
      inline,
      content,
    })),
    defects: [...new Set(defects)],
  };
};
