/** Splits and decodes the MIME parts of a message (RFC 2045, 2046) with mailparser, and collects them. Never rejects. */

import { formatMediaType } from '../../kernel/media-type.ts';
import type { HeaderField } from '../header/header-section.ts';
import { unflow } from '../text/flowed.ts';
import { readSingleText } from '../text/single-text.ts';
import { findAmbiguousFields } from './ambiguous-parts.ts';
import { decodeUnnamed } from './charset.ts';
import { withLf } from './crlf.ts';
import { MALFORMED_TYPE, NO_BOUNDARY, NO_PARTS, OTHER_ALTERNATIVE, STRUCTURE } from './defects.ts';
import { type AttachmentStream, createTreeParser, type PartNode } from './part-tree.ts';
import { cutText } from './text-limit.ts';

/** A text part that is displayed. */
export interface TextPart {
  html: boolean;
  content: string;
  filename: string | null;
  /** The multipart/alternative that contains it, if any. */
  alternative: object | null;
}

/** A part that is not displayed: the sender's declarations and its decoded bytes. */
export interface FilePart {
  filename: string | null;
  /** In lower case, without parameters; as declared. */
  contentType: string;
  /** The same with its parameters, except the file name: the interpretation of the content depends on them. */
  mediaType: string;
  /** Without its angle brackets. */
  contentId: string | null;
  inline: boolean;
  /** Whether the mail's text includes it: a message of a digest, or the invitation of a multipart/alternative. */
  displayed: boolean;
  content: Buffer;
}

export interface MimeParts {
  texts: TextPart[];
  files: FilePart[];
  defects: string[];
}

export interface PartLimits {
  /** Parts of one message, multiparts included. */
  readonly parts: number;
  /** Multiparts around a part. */
  readonly nesting: number;
  /** Octets of a part's header section. */
  readonly partHeaderBytes: number;
}

/**
 * A Content-Type that is valid enough by RFC 2045 section 5.1 to apply. RFC 6838 section 4.2 limits each half to 127
 * characters; a list of messages has the types of all their files.
 */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`{|}~-]{1,127}\/[\w!#$%&'*+.^`{|}~-]{1,127}(?=\s*(?:;|\(|$))/;
const BOUNDARY = /;\s*boundary(?:\*0?\*?)?\s*=\s*"?[^";\s]/i;

/**
 * Builds the root's MIME fields for mailparser; the other fields are parsed once, by header/. An invalid type is left
 * out, which makes the part text/plain (RFC 2045 section 5.2).
 */
const mimeHeader = (fields: HeaderField[], defects: string[]): { head: Buffer; multipart: boolean } => {
  let head = '';
  let multipart = false;
  for (const { key, value } of fields) {
    if (!key.startsWith('content-')) continue;
    if (key === 'content-type') {
      const type = MEDIA_TYPE.exec(value)?.[0]?.toLowerCase();
      const divided = type?.startsWith('multipart/') ?? false;
      if (type === undefined) defects.push(MALFORMED_TYPE);
      else if (divided && !BOUNDARY.test(value)) defects.push(NO_BOUNDARY);
      else {
        if (head.includes('content-type:')) continue;
        multipart = divided;
        head += `content-type: ${value}\r\n`;
      }
    } else head += `${key}: ${value}\r\n`;
  }
  return { head: Buffer.from(`${head}\r\n`), multipart };
};

const readType = (attachment: AttachmentStream): string => {
  const declared = attachment.headers.get('content-type') as { value?: unknown } | undefined;
  const type = MEDIA_TYPE.exec(String(declared?.value ?? attachment.contentType))?.[0];
  return type?.toLowerCase() ?? 'application/octet-stream';
};

/** The file name has a member of its own. */
const NAME_PARAMETERS = new Set(['name', 'filename']);

const readMediaType = (attachment: AttachmentStream): string => {
  const declared = attachment.headers.get('content-type') as { params?: Record<string, unknown> } | undefined;
  const parameters = Object.entries(declared?.params ?? {}).flatMap(([name, value]) =>
    NAME_PARAMETERS.has(name.toLowerCase()) ? [] : [[name, String(value)] as const],
  );
  return formatMediaType({ type: readType(attachment), parameters });
};

/** RFC 2045 section 7, limited to what a `cid:` link can contain. */
const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,250}$/;

const readContentId = ({ cid }: AttachmentStream): string | null => (cid && CONTENT_ID.test(cid) ? cid : null);

/** Starts collecting an attachment's bytes. @returns makes the part, once the parser has ended */
const collect = (attachment: AttachmentStream): (() => FilePart) => {
  const chunks: Buffer[] = [];
  attachment.content.on('data', (chunk: Buffer) => chunks.push(chunk));
  attachment.content.on('end', () => attachment.release?.());
  attachment.content.on('error', () => attachment.release?.());
  return () => ({
    filename: attachment.filename ?? null,
    contentType: readType(attachment),
    mediaType: readMediaType(attachment),
    contentId: readContentId(attachment),
    inline: attachment.contentDisposition === 'inline' || (attachment.related ?? false),
    displayed: false,
    content: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
  });
};

/** A part of a digest without a Content-Type is a message (RFC 2046 section 5.1.5). */
const isDigested = (node: PartNode, parent: PartNode | null): boolean =>
  parent?.contentType === 'multipart/digest' && !node.headers.has('content-type');

const collectTexts = (node: PartNode, parent: PartNode | null, alternative: object | null, into: MimeParts): void => {
  if (node.textContent && isDigested(node, parent)) {
    const content = Buffer.from(node.textContent.replaceAll('\n', '\r\n'));
    const contentType = 'message/rfc822';
    const message = { filename: null, contentType, mediaType: contentType, contentId: null, inline: false };
    into.files.push({ ...message, displayed: true, content });
  } else if (node.textContent) {
    const html = node.contentType === 'text/html';
    const content = node.flowed && !html ? unflow(node.textContent, node.flowed) : node.textContent;
    into.texts.push({ html, content, filename: node.node.filename || null, alternative });
  }
  const inside = node.contentType === 'multipart/alternative' ? node : alternative;
  for (const child of node.children) collectTexts(child, node, inside, into);
};

/** Displayed beside the text, as an invitation. */
export const CALENDAR: ReadonlySet<string> = new Set(['text/calendar', 'application/ics']);

/** Lists the parents of the file parts, in the order of the message. */
const listFileParents = (node: PartNode, parent: PartNode | null): (PartNode | null)[] => [
  ...(node.isAttachment ? [parent] : []),
  ...node.children.flatMap((child) => listFileParents(child, node)),
];

/**
 * Splits and decodes a body.
 * @param fields the message's own header fields
 * @returns the parts that could be parsed, in the order of the message, with the defects that ended the parsing or
 *   make its result doubtful
 */
export const readParts = async (fields: HeaderField[], body: Buffer, limits: PartLimits): Promise<MimeParts> => {
  const defects: string[] = [...findAmbiguousFields(fields)];
  const single = readSingleText(fields, body, defects);
  if (single) {
    return { texts: single.content ? [{ ...single, filename: null, alternative: null }] : [], files: [], defects };
  }
  const { head, multipart } = mimeHeader(fields, defects);
  const { parser, tree } = createTreeParser(
    {
      // mailparser's conversions cost more than its parsing; text/ and html/ make those that are needed.
      skipHtmlToText: true,
      skipTextToHtml: true,
      skipTextLinks: true,
      skipImageLinks: true,
      // Keeps delivery reports and attached messages as files: dsn/ and enclosed-messages.ts parse them.
      keepDeliveryStatus: true,
      ignoreEmbedded: true,
      maxChildNodes: limits.parts,
      nesting: limits.nesting,
      maxHeadSize: limits.partHeaderBytes,
      checksumAlgo: false,
    },
    (defect) => defects.push(defect),
  );
  const files: (() => FilePart)[] = [];
  await new Promise<void>((resolve) => {
    parser.on('data', (data) => {
      if (data.type === 'attachment') files.push(collect(data));
    });
    parser.on('error', (error: Error) => {
      defects.push(`${STRUCTURE}: ${error.message.slice(0, 100)}`);
      // Stops the parser, which would otherwise read to the end.
      parser.destroy();
      resolve();
    });
    parser.on('end', resolve);
    parser.on('close', resolve);
    parser.write(head);
    parser.end(body);
  });

  const parts: MimeParts = { texts: [], files: files.map((toPart) => toPart()), defects };
  const root = tree();
  if (root) {
    for (const [index, parent] of listFileParents(root, null).entries()) {
      const file = parts.files[index];
      if (!file) continue;
      const isDigest = parent?.contentType === 'multipart/digest';
      const isAlternative = parent?.contentType === 'multipart/alternative';
      const isInvitation = isAlternative && CALENDAR.has(file.contentType);
      file.displayed = isInvitation || (isDigest && file.contentType === 'message/rfc822');
      if (isAlternative && !isInvitation && !defects.includes(OTHER_ALTERNATIVE)) defects.push(OTHER_ALTERNATIVE);
    }
    collectTexts(root, null, null, parts);
  }
  if (multipart && parts.texts.length === 0 && parts.files.length === 0 && body.length > 0) {
    defects.push(NO_PARTS);
    const octets = withLf(cutText(body, defects));
    parts.texts.push({ html: false, content: decodeUnnamed(octets), filename: null, alternative: null });
  }
  return parts;
};
