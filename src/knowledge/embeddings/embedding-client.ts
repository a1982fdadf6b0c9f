/**
 * Requests vectors from an endpoint with the form of OpenAI's `POST /v1/embeddings`. Its answer is untrusted: size,
 * form, count, dimensions and numbers are checked.
 */

import { z } from 'zod';
import type { Millis } from '../../kernel/clock.ts';
import { GuardedHttpError, type GuardedResponse, type SendGuarded } from '../../net/http/guarded-client.ts';
import { toUnitVector } from './unit-vector.ts';

export interface EmbeddingEndpoint {
  /** The base URL, to which `/embeddings` is added. */
  url: string;
  model: string;
  /** Null: none is sent. */
  apiKey: string | null;
  dimensions: number;
}

export type Embedded =
  /** In the order of the texts. */
  | { kind: 'vectors'; vectors: Buffer[] }
  /** It refuses this input (400, 413, 422). */
  | { kind: 'refused'; reason: string }
  /** Down, slow or broken. */
  | { kind: 'failed'; reason: string };

/** @param signal aborts with the daemon's stop; the promise then rejects */
export type Embed = (texts: readonly string[], timeoutMs: Millis, signal?: AbortSignal) => Promise<Embedded>;

/** Octets of a number in JSON, with its separator. */
const NUMBER_OCTETS = 32;
/** Octets of the answer beside its numbers. */
const FRAME_OCTETS = 64 * 1024;
const POOL = 'embeddings';

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.unknown()) })),
});

const failed = (reason: string): Embedded => ({ kind: 'failed', reason });

const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

const parseAnswer = (body: Buffer): z.infer<typeof answerSchema> | null => {
  try {
    return answerSchema.safeParse(JSON.parse(body.toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
};

const readAnswer = ({ status, truncated, body }: GuardedResponse, count: number, dimensions: number): Embedded => {
  if (REFUSALS.has(status)) return { kind: 'refused', reason: `it answered ${status}` };
  if (status !== 200) return failed(`it answered ${status}`);
  if (truncated) return failed('its answer is too large');
  const answer = parseAnswer(body);
  if (!answer) return failed('its answer is no JSON of the expected form');
  if (answer.data.length !== count) return failed(`it answered ${answer.data.length} vectors for ${count} texts`);
  const vectors: Buffer[] = [];
  for (const [at, { index = at, embedding }] of answer.data.entries()) {
    if (embedding.length !== dimensions) {
      return failed(`its vectors have ${embedding.length} numbers, and ${dimensions} are configured`);
    }
    const vector = toUnitVector(embedding);
    if (!vector) return failed('its vectors are not all made of numbers, or all zero');
    if (index < 0 || index >= count || vectors[index]) return failed('its vectors are not numbered as the texts');
    vectors[index] = vector;
  }
  return { kind: 'vectors', vectors };
};

export const createEmbed = (request: SendGuarded, { url, model, apiKey, dimensions }: EmbeddingEndpoint): Embed => {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/+$/, '')}/embeddings`;
  return async (texts, timeoutMs, signal) => {
    try {
      const response = await request({
        url: target,
        method: 'POST',
        allowPlain: true,
        pool: POOL,
        timeoutMs,
        maxResponseBytes: texts.length * dimensions * NUMBER_OCTETS + FRAME_OCTETS,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        },
        body: Buffer.from(JSON.stringify({ model, input: texts, encoding_format: 'float' })),
        ...(signal && { signal }),
      });
      return readAnswer(response, texts.length, dimensions);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof GuardedHttpError)) throw error;
      return failed(error.message);
    }
  };
};
