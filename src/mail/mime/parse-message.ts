/** Parses an untrusted message. Never throws, does no I/O, and reports deviations in `defects`. */

import {
  HEAD_LIMITS,
  type HeadLimits,
  type MailHead,
  type ReadMessage,
  readMessage,
} from '../header/message-header.ts';
import { type JoinedTexts, joinTextParts } from '../text/join-text-parts.ts';
import { isAmbiguity } from './ambiguous-parts.ts';
import { nameAttachments, toExtension } from './attachment-names.ts';
import { MAX_ENCLOSED_DEPTH, withEnclosed } from './enclosed-messages.ts';
import { type FilePart, type PartLimits, readParts, type TextPart } from './mime-parts.ts';
import { openSecuredParts } from './secured-parts.ts';
import { TEXT_CUT } from './text-limit.ts';
import type { UuFile } from './uuencode.ts';

export interface ParsedAttachment extends Omit<FilePart, 'filename' | 'displayed'> {
  /** Unique within the message, without a path, never empty. */
  filename: string;
  /** Octets. */
  size: number;
}

/** The attachment members of a stored message row. */
export type AttachmentSummary = Pick<ParsedAttachment, 'filename' | 'contentType' | 'size' | 'contentId'>;

/** Returns the stored members of attachments. All listings derive from this one, so that an attachment has one name. */
export const summarizeAttachments = (attachments: readonly ParsedAttachment[]): AttachmentSummary[] =>
  attachments.map(({ filename, contentType, size, contentId }) => ({ filename, contentType, size, contentId }));

export interface ParsedMail extends MailHead, Omit<JoinedTexts, 'files'> {
  attachments: ParsedAttachment[];
}

export interface ParseLimits extends HeadLimits, PartLimits {
  /** Characters of `text` and of `html`, each. */
  readonly textChars: number;
  /** Whether the text has long addresses of links in full; left out: their host alone. */
  readonly wholeAddresses?: boolean;
}

export const PARSE_LIMITS: ParseLimits = {
  ...HEAD_LIMITS,
  // A message with more is parsed as text: the splitter stops at the limit without a partial result.
  parts: 1000,
  // As Postfix's mime_nesting_limit.
  nesting: 100,
  partHeaderBytes: 64 * 1024,
  textChars: 4 * 1024 * 1024,
};

/** Treats text parts that follow others and have a file name as files (as RFC 8621 section 4.1.4). */
const partNamedTexts = (texts: TextPart[]): { shown: TextPart[]; named: FilePart[] } => {
  const isFile = (part: TextPart, index: number): boolean =>
    index > 0 && part.filename !== null && part.alternative === null;
  return {
    shown: texts.filter((part, index) => !isFile(part, index)),
    named: texts.filter(isFile).map((part) => ({
      filename: part.filename,
      contentType: part.html ? 'text/html' : 'text/plain',
      // The content is decoded, whatever its charset was.
      mediaType: `${part.html ? 'text/html' : 'text/plain'}; charset=utf-8`,
      contentId: null,
      inline: true,
      displayed: false,
      content: Buffer.from(part.content),
    })),
  };
};

const uuPart = ({ filename, content }: UuFile): FilePart => ({
  filename,
  contentType: 'application/octet-stream',
  mediaType: 'application/octet-stream',
  contentId: null,
  inline: true,
  displayed: false,
  content,
});

/** Parses one message from its bytes, CRLF or LF. */
export const parseMail = (raw: Buffer, limits: ParseLimits = PARSE_LIMITS): Promise<ParsedMail> =>
  parseMessage(readMessage(raw, limits), limits);

/**
 * Parses the body of a message after its header.
 * @param enclosedIn number of messages that enclose it
 * @returns all that could be parsed; `defects` lists deviations from the standard, each once
 * @see RFC 5322, RFC 2045 to 2047, RFC 2231
 */
export const parseMessage = async (
  { head, fields, body }: ReadMessage,
  limits: ParseLimits = PARSE_LIMITS,
  enclosedIn = 0,
): Promise<ParsedMail> => {
  const mime = await openSecuredParts(await readParts(fields, body, limits), limits);
  const { shown, named } = partNamedTexts(mime.texts);
  const read = joinTextParts(shown, limits.wholeAddresses);
  const files = [...mime.files, ...named, ...read.files.map(uuPart)];
  const text =
    enclosedIn < MAX_ENCLOSED_DEPTH
      ? await withEnclosed(read.text, files, async (message) => {
          const enclosed = await parseMessage(readMessage(message, limits), limits, enclosedIn + 1);
          mime.defects.push(...enclosed.defects.filter(isAmbiguity));
          return enclosed;
        })
      : read.text;

  const defects = [...head.defects, ...mime.defects, ...read.defects];
  if (text.length > limits.textChars || (read.html?.length ?? 0) > limits.textChars) defects.push(TEXT_CUT);
  const filenames = nameAttachments(files);
  return {
    ...head,
    text: text.slice(0, limits.textChars),
    otherText: read.otherText.slice(0, limits.textChars),
    html: read.html?.slice(0, limits.textChars) ?? null,
    anchors: read.anchors,
    attachments: files.map(({ contentType, mediaType, contentId, inline, content }, index) => ({
      filename: filenames[index] ?? `attachment-${index + 1}.${toExtension(contentType)}`,
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
