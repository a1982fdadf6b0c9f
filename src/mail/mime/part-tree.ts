/** mailparser, with the tree that it builds. Its own joining of parts loses which text is a reading of which HTML. */

import { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import type { Flow } from '../text/flowed.ts';
import { decodePart, isFastCharset } from './charset.ts';
import { MAX_RARE_TEXT_OCTETS, MAX_TEXT_OCTETS } from './text-limit.ts';

export interface PartNode {
  /** In lower case. */
  contentType: string | false;
  /** As its header names it. */
  declaredCharset?: string | null;
  /** Of a part with format=flowed. */
  flowed?: Flow | null;
  /** Of a text part that is not a file: decoded, with bare LF. */
  textContent?: string;
  children: PartNode[];
  /** False where the part is shown. */
  isAttachment?: boolean;
  decoder?: Transform;
  headers: Map<string, unknown>;
  node: { filename: string | false };
}

interface SplitNode {
  contentType: string | false;
  charset: string | false;
  flowed?: boolean;
  delSp?: boolean;
}

/** What mailparser's types do not tell of it; `test/unit/mail/mime/parse-message.test.ts` fails where a new version is made otherwise. */
interface Internals {
  tree: PartNode | false;
  createNode(node: SplitNode): PartNode;
  decoder: { decodeStream(charset: string): Transform };
}

/** Decodes a text once all of it is there. */
const decodeWhole = (decode: (octets: Buffer) => string): Transform => {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      done(null, Buffer.from(decode(Buffer.concat(chunks))));
    },
  });
};

/** Names for decoders of our own, which the library asks for by charset: the part's kind, then what it declares. */
const OURS = { html: 'x-html:', plain: 'x-plain:' } as const;

const ourDecoder = (name: string): Transform => {
  const isHtml = name.startsWith(OURS.html);
  const declared = name.slice(name.indexOf(':') + 1);
  return decodeWhole((octets) => decodePart(octets, declared || null, isHtml));
};

export interface TreeParser {
  parser: MailParser;
  /** The root, as far as it was read; null before the first header section ended. */
  tree: () => PartNode | null;
}

/** Lets no more than so many octets into the decoders of the parts that are shown, together. */
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

/** @param onCut told where the texts are longer than what is decoded of them */
export const createTreeParser = (
  options: MailParserOptions & Record<string, unknown>,
  onCut: () => void,
): TreeParser => {
  const parser = new MailParser(options);
  const internals = parser as unknown as Internals;
  const limit = limitText(onCut);
  const createNode = internals.createNode.bind(parser);
  internals.createNode = (node) => {
    const { charset, contentType, flowed, delSp } = node;
    node.charset = `${contentType === 'text/html' ? OURS.html : OURS.plain}${charset || ''}`;
    // Its own decoder joins lines of different quotes.
    node.flowed = false;
    const made = createNode(node);
    made.declaredCharset = charset || null;
    made.flowed = flowed ? { delSp: Boolean(delSp) } : null;
    limit(made);
    return made;
  };
  internals.decoder = { decodeStream: ourDecoder };
  return { parser, tree: () => internals.tree || null };
};
