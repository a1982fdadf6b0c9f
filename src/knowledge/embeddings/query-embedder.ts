/** Vectors of searches. A search waits briefly for its vector, and continues without one. */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Log } from '../../kernel/log.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Embed } from './embedding-client.ts';
import type { EmbeddingLimits } from './embedding-limits.ts';

/** @returns null: the search goes by words alone. Never rejects */
export type EmbedQuery = (text: string) => Promise<Buffer | null>;

export interface QueryEmbedderNeeds {
  embed: Embed;
  limits: EmbeddingLimits;
  log: Log;
  onError: (error: unknown) => void;
}

export const createQueryEmbedder = ({ embed, limits, log, onError }: QueryEmbedderNeeds): EmbedQuery => {
  const known = new BoundedMap<string, Buffer>(limits.remembered);
  const underWay = new Map<string, Promise<Buffer | null>>();
  const breaker = createCircuitBreaker({
    now: () => performance.now(),
    failures: limits.failures,
    pauseMs: limits.backOffMs,
    maxPauseMs: limits.maxBackOffMs,
    onChange: (reason) => {
      if (reason === null) log.info({}, 'the embeddings endpoint answers searches again');
      else log.warn({ reason }, 'the embeddings endpoint fails searches: they go by words alone');
    },
  });

  const ask = async (text: string): Promise<Buffer | null> => {
    try {
      const embedded = await embed([text], limits.queryMs);
      if (embedded.kind === 'failed') breaker.failed(embedded.reason);
      else breaker.succeeded();
      const vector = embedded.kind === 'vectors' ? embedded.vectors[0] : undefined;
      if (!vector) return null;
      known.set(text, vector);
      return vector;
    } catch (error) {
      onError(error);
      breaker.failed('it could not be asked');
      return null;
    }
  };

  return (text) => {
    const vector = known.use(text);
    if (vector) return Promise.resolve(vector);
    const asked = underWay.get(text);
    if (asked) return asked;
    if (underWay.size >= limits.queries || !breaker.mayTry()) return Promise.resolve(null);
    const asking = ask(text).finally(() => underWay.delete(text));
    underWay.set(text, asking);
    return asking;
  };
};
