/**
 * An endpoint for embeddings on loopback: a vector counts the words of its text by their hashes, and words of one group of
 * synonyms are one word.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Site, type SiteReply, startSite } from './site.ts';

const SYNONYMS: readonly (readonly string[])[] = [
  ['parcel', 'package', 'shipment'],
  ['refund', 'reimbursement'],
  ['car', 'automobile'],
];

export interface AskedVectors {
  model: string;
  input: string[];
  authorization: string | undefined;
}

export interface EmbeddingsServer extends Pick<Site, 'port' | 'paths'>, AsyncDisposable {
  /** As the config has it. */
  readonly url: string;
  readonly asked: AskedVectors[];
  /** All texts, in the order in which they came. */
  texts(): string[];
  /** `null`: as it should. */
  answer(how: ((asked: AskedVectors, response: ServerResponse) => SiteReply | 'answered' | null) | null): void;
}

const toWord = (word: string): string => SYNONYMS.find((group) => group.includes(word))?.[0] ?? word;

export const toVector = (text: string, dimensions: number): number[] => {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const at = createHash('sha256').update(toWord(word)).digest().readUInt32BE() % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
};

export const toReply = (vectors: readonly unknown[]): SiteReply => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ index, embedding })) }),
});

const readBody = async (request: IncomingMessage): Promise<{ model: string; input: string[] }> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};

export const startEmbeddings = async (dimensions: number): Promise<EmbeddingsServer> => {
  const asked: AskedVectors[] = [];
  let answer: ((asked: AskedVectors, response: ServerResponse) => SiteReply | 'answered' | null) | null = null;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = { ...(await readBody(request)), authorization: request.headers.authorization };
    asked.push(one);
    const own = answer?.(one, response) ?? null;
    if (own === 'answered') return;
    const {
      status = 200,
      headers = {},
      body = '',
    } = own ?? toReply(one.input.map((text) => toVector(text, dimensions)));
    response.writeHead(status, headers);
    response.end(body);
  };
  const site = await startSite((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return null;
    reply(request, response).catch(() => response.destroy());
    return 'answered';
  });
  return {
    url: `${site.origin}/v1`,
    port: site.port,
    paths: site.paths,
    asked,
    texts: () => asked.flatMap(({ input }) => input),
    answer: (how) => {
      answer = how;
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
};
