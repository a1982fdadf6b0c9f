/** The MIME parts of a message (RFC 2045, 2046), split and decoded by mailparser and collected here. Never rejects. */

import type { Transform } from 'node:stream';
import { formatMediaType } from '../../kernel/media-type.ts';
import type { HeaderField } from '../header/header-section.ts';
import { unflow } from '../text/flowed.ts';
import { readSingleText } from '../text/single-text.ts';
import { trimBoundaries } from './boundary-padding.ts';
import { decodeUnnamed } from './charset.ts';
import { withLf } from './crlf.ts';
import { createTreeParser, type PartNode } from './part-tree.ts';
import { cutText, TEXT_CUT } from './text-limit.ts';

/** A part that is shown as text. */
export interface TextPart {
  html: boolean;
  content: string;
  filename: string | null;
  /** The multipart/alternative that it is a reading of, if any. */
  alternative: object | null;
}

/** A part that is not shown: what the sender said of it, and its bytes, transfer encoding taken off. */
export interface FilePart {
  filename: string | null;
  /** In lower case, without parameters; as declared. */
  contentType: string;
  /** The same with its parameters, save the file's name: how the content is to be read. */
  mediaType: string;
  /** Without its angle brackets. */
  contentId: string | null;
  inline: boolean;
  /** Whether it is one of a digest, which is read as one text. */
  digested: boolean;
  content: Buffer;
}

export interface MimeParts {
  texts: TextPart[];
  files: FilePart[];
  defects: string[];
}

export interface PartLimits {
  /** Parts of one message, multiparts counted; they bound the depth too. */
  readonly parts: number;
  /** Octets of a part's header section. */
  readonly partHeaderBytes: number;
}

interface Attachment {
  type: 'attachment';
  content: Transform;
  contentType: string;
  contentDisposition?: string;
  filename?: string;
  cid?: string;
  related?: boolean;
  headers: Map<string, unknown>;
  release: (() => void) | null;
}

/** A Content-Type that follows RFC 2045 section 5.1 far enough to be acted upon. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`{|}~-]+\/[\w!#$%&'*+.^`{|}~-]+(?=\s*(?:;|\(|$))/;
const BOUNDARY = /;\s*boundary(?:\*0?\*?)?\s*=\s*"?[^";\s]/i;
/** No parameter that means something is longer, and the parser's cost grows with the square of it. */
const MAX_MIME_FIELD = 8 * 1024;

/**
 * The root's MIME fields alone, as they go to the parser: the others are read once, by us.
 * A type that cannot be acted upon is left out, which makes the part text/plain (RFC 2045 section 5.2).
 */
const mimeHeader = (fields: HeaderField[], defects: string[]): { head: Buffer; multipart: boolean } => {
  let head = '';
  let multipart = false;
  for (const { key, value } of fields) {
    if (!key.startsWith('content-')) continue;
    if (key === 'content-type') {
      const type = MEDIA_TYPE.exec(value)?.[0]?.toLowerCase();
      const divided = type?.startsWith('multipart/') ?? false;
      if (type === undefined) defects.push('malformed Content-Type');
      else if (divided && !BOUNDARY.test(value)) defects.push('multipart without boundary');
      else {
        if (head.includes('content-type:')) continue;
        multipart = divided;
        head += `content-type: ${value.slice(0, MAX_MIME_FIELD)}\r\n`;
      }
    } else head += `${key}: ${value.slice(0, MAX_MIME_FIELD)}\r\n`;
  }
  return { head: Buffer.from(`${head}\r\n`), multipart };
};

const typeOf = (attachment: Attachment): string => {
  const declared = attachment.headers.get('content-type') as { value?: unknown } | undefined;
  const type = MEDIA_TYPE.exec(String(declared?.value ?? attachment.contentType))?.[0];
  return type?.toLowerCase() ?? 'application/octet-stream';
};

/** The file's name stands in a field of its own. */
const NAME_PARAMETERS = new Set(['name', 'filename']);

const mediaTypeOf = (attachment: Attachment): string => {
  const declared = attachment.headers.get('content-type') as { params?: Record<string, unknown> } | undefined;
  const parameters = Object.entries(declared?.params ?? {}).flatMap(([name, value]) =>
    NAME_PARAMETERS.has(name.toLowerCase()) ? [] : [[name, String(value)] as const],
  );
  return formatMediaType({ type: typeOf(attachment), parameters });
};

/** RFC 2045 section 7, as far as a link can name it. */
const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,250}$/;

const contentIdOf = ({ cid }: Attachment): string | null => (cid && CONTENT_ID.test(cid) ? cid : null);

/** Starts reading an attachment's bytes; the part is whole once `content` is asked for. */
const collect = (attachment: Attachment): { part: () => FilePart } => {
  const chunks: Buffer[] = [];
  attachment.content.on('data', (chunk: Buffer) => chunks.push(chunk));
  attachment.content.on('end', () => attachment.release?.());
  attachment.content.on('error', () => attachment.release?.());
  const part = (): FilePart => ({
    filename: attachment.filename ?? null,
    contentType: typeOf(attachment),
    mediaType: mediaTypeOf(attachment),
    contentId: contentIdOf(attachment),
    inline: attachment.contentDisposition === 'inline' || (attachment.related ?? false),
    digested: false,
    content: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
  });
  return { part };
};

/** A part of a digest that says nothing of itself is a message (RFC 2046 section 5.1.5). */
const isDigested = (node: PartNode, parent: PartNode | null): boolean =>
  parent?.contentType === 'multipart/digest' && !node.headers.has('content-type');

const collectTexts = (node: PartNode, parent: PartNode | null, alternative: object | null, into: MimeParts): void => {
  if (node.textContent && isDigested(node, parent)) {
    const content = Buffer.from(node.textContent.replaceAll('\n', '\r\n'));
    const contentType = 'message/rfc822';
    const message = { filename: null, contentType, mediaType: contentType, contentId: null, inline: false };
    into.files.push({ ...message, digested: true, content });
  } else if (node.textContent) {
    const html = node.contentType === 'text/html';
    const content = node.flowed && !html ? unflow(node.textContent, node.flowed) : node.textContent;
    into.texts.push({ html, content, filename: node.node.filename || null, alternative });
  }
  const inside = node.contentType === 'multipart/alternative' ? node : alternative;
  for (const child of node.children) collectTexts(child, node, inside, into);
};

/** The parts that are files, in the order of the message, each with the part that it stands in. */
const filesOf = (node: PartNode, parent: PartNode | null): (PartNode | null)[] => [
  ...(node.isAttachment ? [parent] : []),
  ...node.children.flatMap((child) => filesOf(child, node)),
];

/**
 * Splits and decodes a body.
 * @param fields the message's own header fields
 * @returns what could be read, in the order of the message, and why there is no more
 */
export const readParts = async (fields: HeaderField[], body: Buffer, limits: PartLimits): Promise<MimeParts> => {
  const defects: string[] = [];
  const single = readSingleText(fields, body, defects);
  if (single) {
    return { texts: single.content ? [{ ...single, filename: null, alternative: null }] : [], files: [], defects };
  }
  const { head, multipart } = mimeHeader(fields, defects);
  const { parser, tree } = createTreeParser(
    {
      // Its own conversions cost more than the parsing; what is needed of them we do ourselves.
      skipHtmlToText: true,
      skipTextToHtml: true,
      skipTextLinks: true,
      skipImageLinks: true,
      // A report's machine-readable part is read by those who know reports, an attached message stays one.
      keepDeliveryStatus: true,
      ignoreEmbedded: true,
      maxChildNodes: limits.parts,
      maxHeadSize: limits.partHeaderBytes,
      checksumAlgo: 'sha1',
    },
    () => defects.push(TEXT_CUT),
  );
  const files: { part: () => FilePart }[] = [];
  await new Promise<void>((resolve) => {
    parser.on('data', (data: { type: string }) => {
      if (data.type === 'attachment') files.push(collect(data as Attachment));
    });
    parser.on('error', (error: Error) => {
      defects.push(`MIME structure: ${error.message.slice(0, 100)}`);
      // It would read on to the end, for nobody.
      parser.destroy();
      resolve();
    });
    parser.on('end', resolve);
    parser.on('close', resolve);
    parser.write(head);
    parser.end(multipart ? trimBoundaries(head.toString('latin1'), body) : body);
  });

  const parts: MimeParts = { texts: [], files: files.map((file) => file.part()), defects };
  const root = tree();
  if (root) {
    for (const [index, parent] of filesOf(root, null).entries()) {
      const file = parts.files[index];
      if (file) file.digested = file.contentType === 'message/rfc822' && parent?.contentType === 'multipart/digest';
    }
    collectTexts(root, null, null, parts);
  }
  if (multipart && parts.texts.length === 0 && parts.files.length === 0 && body.length > 0) {
    defects.push('multipart without parts');
    const octets = withLf(cutText(body, defects));
    parts.texts.push({ html: false, content: decodeUnnamed(octets), filename: null, alternative: null });
  }
  return parts;
};
