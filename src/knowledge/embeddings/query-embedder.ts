/** Vectors of searches. A search waits briefly for its vector, and continues without one. */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Embed } from './embedding-client.ts';
import type { EmbeddingLimits } from './embedding-limits.ts';

/** @returns null: the search goes by words alone. Never rejects */
export type EmbedQuery = (text: string) => Promise<Buffer | null>;

export interface QueryEmbedderNeeds {
  embed: Embed;
  limits: EmbeddingLimits;
  clock: Clock;
  log: Log;
  onError: (error: unknown) => void;
}

export const createQueryEmbedder = ({ embed, limits, clock, log, onError }: QueryEmbedderNeeds): EmbedQuery => {
  const known = new BoundedMap<string, Buffer>(limits.remembered);
  const underWay = new Map<string, Promise<Buffer | null>>();
  let failures = 0;
  /** After some failures in a row requests pause, twice as long with each further one. */
  let pausedUntil = 0;

  const fail = (reason: string): void => {
    const now = clock.now();
    // Requests that were under way together fail together: one failure.
    if (now < pausedUntil) return;
    failures += 1;
    const further = failures - limits.failures;
    if (further < 0) return;
    pausedUntil = now + Math.min(limits.backOffMs * 2 ** further, limits.maxBackOffMs);
    if (further === 0) log.warn({ reason }, 'the embeddings endpoint fails searches: they go by words alone');
  };

  const succeed = (): void => {
    if (failures >= limits.failures) log.info({}, 'the embeddings endpoint answers searches again');
    failures = 0;
    pausedUntil = 0;
  };

  const ask = async (text: string): Promise<Buffer | null> => {
    try {
      const embedded = await embed([text], limits.queryMs);
      if (embedded.kind === 'failed') fail(embedded.reason);
      else succeed();
      const vector = embedded.kind === 'vectors' ? embedded.vectors[0] : undefined;
      if (!vector) return null;
      known.set(text, vector);
      return vector;
    } catch (error) {
      onError(error);
      fail('it could not be asked');
      return null;
    }
  };

  return (text) => {
    const vector = known.use(text);
    if (vector) return Promise.resolve(vector);
    const asked = underWay.get(text);
    if (asked) return asked;
    if (underWay.size >= limits.queries || clock.now() < pausedUntil) return Promise.resolve(null);
    const asking = ask(text).finally(() => underWay.delete(text));
    underWay.set(text, asking);
    return asking;
  };
};
