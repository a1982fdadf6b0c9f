/**
 * Ranks mail by meaning: by the vectors of its subject and excerpt, computed when first compared. No vector of a mail
 * is stored.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { SearchHit } from '../../store/search/full-text-search.ts';

/** Unit vectors of texts, in their order; `off`: no endpoint is configured; `failed`: it gave none. */
export type ToVectors = (texts: readonly string[]) => Promise<readonly Buffer[] | 'off' | 'failed'>;

/** Mails compared for one page; the cursor continues with later ones. */
export const MOST_COMPARED = 50;
const MOST_KNOWN = 5_000;

const OFF =
  '`q`: like: searches by meaning, which is off on this server: it has no endpoint for embeddings. Use words.';
const FAILED = 'The endpoint for embeddings gave no answer. Search again in a moment, or by words.';

/** The cosine of unit vectors. */
const similarity = (one: Buffer, other: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 4) sum += one.readFloatLE(at) * other.readFloatLE(at);
  return sum;
};

const textOf = ({ subject, excerpt }: SearchHit): string => `${subject}\n${excerpt.replaceAll('**', '')}`;

export interface MeantHit {
  hit: SearchHit;
  score: number;
}

export type RankByMeaning = (like: string, hits: readonly SearchHit[]) => Promise<MeantHit[]>;

/** @throws ApiError invalid_request where embeddings are off, overloaded where the endpoint fails */
export const createRankByMeaning = (toVectors: ToVectors): RankByMeaning => {
  const known = new BoundedMap<string, Buffer>(MOST_KNOWN);
  return async (like, hits) => {
    const texts = [...new Set([like, ...hits.map(textOf)])];
    const vectors = new Map(texts.map((text) => [text, known.use(text)]));
    const wanted = texts.filter((text) => vectors.get(text) === undefined);
    // An empty list tests whether embeddings are on.
    const asked = await toVectors(wanted);
    if (asked === 'off') throw new ApiError('invalid_request', { hint: OFF });
    if (asked === 'failed') throw new ApiError('overloaded', { hint: FAILED, headers: { 'retry-after': '5' } });
    for (const [at, text] of wanted.entries()) {
      const vector = asked[at];
      if (!vector) continue;
      known.set(text, vector);
      vectors.set(text, vector);
    }
    const meant = vectors.get(like);
    const scoreOf = (hit: SearchHit): number => {
      const vector = vectors.get(textOf(hit));
      return meant && vector ? Number(similarity(meant, vector).toPrecision(4)) : 0;
    };
    return hits.map((hit) => ({ hit, score: scoreOf(hit) })).toSorted((a, b) => b.score - a.score);
  };
};
