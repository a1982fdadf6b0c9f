/** mailparser, with the tree that it builds. Its own joining of parts loses which text is a reading of which HTML. */

import { isUtf8 } from 'node:buffer';
import { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import { decodeCharset, isKnownCharset } from './encoded-words.ts';
import { MAX_RARE_TEXT_OCTETS, MAX_TEXT_OCTETS } from './text-limit.ts';

export interface PartNode {
  /** In lower case. */
  contentType: string | false;
  charset?: string;
  /** Of a text part that is not a file: decoded, with bare LF. */
  textContent?: string;
  children: PartNode[];
  /** False where the part is shown. */
  isAttachment?: boolean;
  decoder?: Transform;
  headers: Map<string, unknown>;
  node: { filename: string | false };
}

/** What mailparser's types do not tell of it; `test/unit/mail/parse.test.ts` fails where a new version is made otherwise. */
interface Internals {
  tree: PartNode | false;
  createNode(node: unknown): PartNode;
  decoder: { decodeStream(charset: string): Transform };
}

/** A name that no charset has: text whose sender did not say. */
const UNSAID = 'x-unsaid';

/** Decodes a text once all of it is there. */
const decodeWhole = (decode: (octets: Buffer) => string): Transform => {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      const octets = Buffer.concat(chunks);
      done(null, Buffer.from(decode(octets)));
    },
  });
};

/** 8-bit text of which nobody said the charset is UTF-8 where it can be, and Windows-1252 where it cannot. */
const guessCharset = (octets: Buffer): string => decodeCharset(octets, isUtf8(octets) ? 'utf-8' : 'windows-1252');

/** The library's decoder of this one builds arrays of numbers, and takes thirty times as long as the platform's. */
const JAPANESE_MAIL = /^iso-2022-jp$/i;

export interface TreeParser {
  parser: MailParser;
  /** The root, as far as it was read; null before the first header section ended. */
  tree: () => PartNode | null;
}

/** Lets no more than so many octets into the decoders of the parts that are shown, together. */
const limitText = (onCut: () => void): ((node: PartNode) => void) => {
  let left = MAX_TEXT_OCTETS;
  let isCut = false;
  return ({ isAttachment, decoder, charset }) => {
    if (isAttachment || !decoder) return;
    if (charset && charset !== UNSAID && !isKnownCharset(charset)) left = Math.min(left, MAX_RARE_TEXT_OCTETS);
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
  const { decoder } = internals;
  const limit = limitText(onCut);
  const createNode = internals.createNode.bind(parser);
  internals.createNode = (node) => {
    const { charset } = node as { charset: string | false };
    if (!charset) (node as { charset: string }).charset = UNSAID;
    const made = createNode(node);
    limit(made);
    return made;
  };
  internals.decoder = {
    decodeStream: (charset) => {
      if (charset === UNSAID) return decodeWhole(guessCharset);
      if (JAPANESE_MAIL.test(charset)) return decodeWhole((octets) => decodeCharset(octets, charset));
      return decoder.decodeStream(charset);
    },
  };
  return { parser, tree: () => internals.tree || null };
};
