/**
 * Wraps mailparser to expose its part tree, because its own joined text loses which text part is an alternative of
 * which HTML part.
 */

import { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import type { Flow } from '../text/flowed.ts';
import { createBase64Check, findAmbiguousFields } from './ambiguous-parts.ts';
import { decodePart, isFastCharset } from './charset.ts';
import { MAX_RARE_TEXT_OCTETS, MAX_TEXT_OCTETS, TEXT_CUT } from './text-limit.ts';

export type { AttachmentStream } from 'mailparser';

export interface PartNode {
  /** In lower case. */
  contentType: string | false;
  /** As in the part's header. */
  declaredCharset?: string | null;
  /** Set for a part with format=flowed. */
  flowed?: Flow | null;
  /** Set for a displayed text part: decoded, with bare LF. */
  textContent?: string;
  children: PartNode[];
  /** False for a displayed part. */
  isAttachment?: boolean;
  decoder?: Transform;
  headers: Map<string, unknown>;
  node: { filename: string | false };
}

interface SplitNode {
  /** The part's Content-Transfer-Encoding, in lower case. */
  encoding: string | false;
  contentType: string | false;
  charset: string | false;
  filename: string | false;
  parentNode: SplitNode | null;
  flowed?: boolean;
  delSp?: boolean;
  /** Whether it is the whole message; the parser was given its fields. */
  root: boolean;
  headers: { getList(): { key: string; line: string }[] };
}

/** The members of mailparser without public types; a test fails where a new version changes them. */
interface Internals {
  createNode(node: SplitNode): PartNode;
  splitter: {
    /** The part that is read. */
    node: SplitNode;
    maxChildNodes: number;
    newNode(parent?: SplitNode): void;
  };
}

/** Charset names with which mailparser makes a {@link CharsetDecoder}: the part's kind, then the declared charset. */
const DECODER_NAMES = { html: 'x-html:', plain: 'x-plain:' } as const;

/** Given to mailparser as its `Iconv`. Buffers all octets of a part, then decodes them. */
class CharsetDecoder extends Transform {
  constructor(name: string) {
    const declared = name.slice(name.indexOf(':') + 1);
    const isHtml = name.startsWith(DECODER_NAMES.html);
    const chunks: Buffer[] = [];
    super({
      transform: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk);
        done();
      },
      flush: (done) => done(null, decodePart(Buffer.concat(chunks), declared || null, isHtml)),
    });
  }
}

/** Displayed as plain text (RFC 2046 section 4.1.4), unless it is a file or one of several alternatives. */
const MARKDOWN = /^text\/(?:x-)?markdown$/;

const isMarkdown = ({ contentType, filename, parentNode }: SplitNode): boolean =>
  MARKDOWN.test(contentType || '') && !filename && parentNode?.contentType !== 'multipart/alternative';

export interface TreeParser {
  parser: MailParser;
  /** The root as parsed so far; null before the end of the first header section. */
  tree: () => PartNode | null;
}

/** Bounds the octets of all displayed parts together that reach their decoders. */
const limitText = (onCut: () => void): ((node: PartNode) => void) => {
  let left = MAX_TEXT_OCTETS;
  let isCut = false;
  return ({ isAttachment, decoder, declaredCharset }) => {
    if (isAttachment || !decoder) return;
    if (declaredCharset && !isFastCharset(declaredCharset)) left = Math.min(left, MAX_RARE_TEXT_OCTETS);
    const write = decoder.write.bind(decoder);
    decoder.write = (chunk: Buffer) => {
      const taken = chunk.subarray(0, left);
      left -= taken.length;
      if (taken.length < chunk.length && !isCut) {
        isCut = true;
        onCut();
      }
      return taken.length === 0 || write(taken);
    };
  };
};

/** Reports where programs may decode a part differently. */
const reportAmbiguity = (node: SplitNode, { decoder }: PartNode, onDefect: (defect: string) => void): void => {
  const fields = node.headers.getList().map(({ key, line }) => ({ key, value: line }));
  for (const defect of node.root ? [] : findAmbiguousFields(fields)) onDefect(defect);
  if (!decoder || node.encoding !== 'base64') return;
  const check = createBase64Check(onDefect);
  const write = decoder.write.bind(decoder);
  decoder.write = (chunk: Buffer) => {
    check(chunk);
    return write(chunk);
  };
};

const countParents = ({ parentNode }: SplitNode): number => (parentNode ? 1 + countParents(parentNode) : 0);

/** Ends the splitter at parts that are nested deeper: it compares each line with the boundaries of all that it is in. */
const limitNesting = (splitter: Internals['splitter'], most: number): void => {
  const newNode = splitter.newNode.bind(splitter);
  splitter.newNode = (parent) => {
    newNode(parent);
    if (countParents(splitter.node) > most) splitter.maxChildNodes = 0;
  };
};

/** @param onDefect called for each defect of the parts, among them {@link TEXT_CUT} once where the texts exceed the bound */
export const createTreeParser = (
  { nesting, ...options }: MailParserOptions & { nesting: number },
  onDefect: (defect: string) => void,
): TreeParser => {
  const parser = new MailParser({ ...options, Iconv: CharsetDecoder });
  let root: PartNode | null = null;
  const internals = parser as unknown as Internals;
  limitNesting(internals.splitter, nesting);
  const limit = limitText(() => onDefect(TEXT_CUT));
  const createNode = internals.createNode.bind(parser);
  internals.createNode = (node) => {
    const { charset, contentType, flowed, delSp } = node;
    node.charset = `${contentType === 'text/html' ? DECODER_NAMES.html : DECODER_NAMES.plain}${charset || ''}`;
    // mailparser's own flowed decoder joins lines of different quote depths.
    node.flowed = false;
    if (isMarkdown(node)) node.contentType = 'text/plain';
    const made = createNode(node);
    root ??= made;
    made.declaredCharset = charset || null;
    made.flowed = flowed ? { delSp: Boolean(delSp) } : null;
    reportAmbiguity(node, made, onDefect);
    limit(made);
    return made;
  };
  return { parser, tree: () => root };
};
