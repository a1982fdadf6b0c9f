/** mailparser, with the tree that it builds. Its own joining of parts loses which text is a reading of which HTML. */

import { isUtf8 } from 'node:buffer';
import { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import { decodeCharset } from './encoded-words.ts';
import { MAX_TEXT_OCTETS } from './text-limit.ts';

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

/** 8-bit text of which nobody said the charset is UTF-8 where it can be, and Windows-1252 where it cannot. */
const guessCharset = (): Transform => {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      const bytes = Buffer.concat(chunks);
      done(null, isUtf8(bytes) ? bytes : Buffer.from(decodeCharset(bytes, 'windows-1252')));
    },
  });
};

export interface TreeParser {
  parser: MailParser;
  /** The root, as far as it was read; null before the first header section ended. */
  tree: () => PartNode | null;
}

/** Lets no more than so many octets into the decoders of the parts that are shown, together. */
const limitText = (octets: number, onCut: () => void): ((node: PartNode) => void) => {
  let left = octets;
  let isCut = false;
  return ({ isAttachment, decoder }) => {
    if (isAttachment || !decoder) return;
    const write = decoder.write.bind(decoder);
    decoder.write = (chunk: Buffer) => {
      if (left > 0) {
        left -= chunk.length;
        return write(chunk);
      }
      if (!isCut) onCut();
      isCut = true;
      return true;
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
  const limit = limitText(MAX_TEXT_OCTETS, onCut);
  const createNode = internals.createNode.bind(parser);
  internals.createNode = (node) => {
    const { charset } = node as { charset: string | false };
    if (!charset) (node as { charset: string }).charset = UNSAID;
    const made = createNode(node);
    limit(made);
    return made;
  };
  internals.decoder = {
    decodeStream: (charset) => (charset === UNSAID ? guessCharset() : decoder.decodeStream(charset)),
  };
  return { parser, tree: () => internals.tree || null };
};
