/**
 * Computes missing vectors of passages, some at a time, in the background. The store knows which are missing, so a
 * restart loses nothing. A failing endpoint is tried ever less often, and work continues once it answers.
 */

import { MINUTE, type Millis } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { type BackgroundWork, createStoppableWork } from '../../kernel/wake-loop.ts';
import { listUnembedded, storeVectors, type UnembeddedPassage } from '../../store/knowledge/embeddings.ts';
import type { Store } from '../../store/store.ts';
import type { Embed, Embedded } from './embedding-client.ts';
import type { EmbeddingLimits } from './embedding-limits.ts';

export interface PassageEmbedderNeeds {
  store: Store;
  embed: Embed;
  /** The number of the model in use. */
  model: number;
  dimensions: number;
  limits: EmbeddingLimits;
  log: Log;
  onError: (error: unknown) => void;
}

/** Another process may have stored some. */
const POLL_MS: Millis = MINUTE;
/** Characters of a title, and of headings. */
const MAX_LINE = 300;
/** A text for any model: tells whether the endpoint refuses one passage, or all requests. */
const PROBE = 'postroom';

const toInput = ({ title, heading, text }: UnembeddedPassage): string =>
  [title, heading, text]
    .map((part, at) => (at < 2 ? part?.slice(0, MAX_LINE).toWellFormed() : part))
    .filter((part) => part)
    .join('\n');

export const createPassageEmbedder = (needs: PassageEmbedderNeeds): BackgroundWork => {
  const { store, embed, model, dimensions, limits, log, onError } = needs;
  const most = Math.max(1, Math.min(limits.passages, Math.floor(limits.numbers / dimensions)));
  let atOnce = most;
  let failures = 0;
  let nextAt = 0;

  const pauseFor = (ms: Millis): Millis => {
    nextAt = performance.now() + ms;
    return ms;
  };
  const ask = (texts: readonly string[]): Promise<Embedded> => embed(texts, limits.batchMs, background.stopping);

  const succeed = (): Millis => {
    if (failures > 0) log.info({}, 'the embeddings endpoint takes passages again');
    failures = 0;
    return pauseFor(limits.intervalMs);
  };

  const fail = (reason: string): Millis => {
    if (failures === 0) log.warn({ reason }, 'the embeddings endpoint fails: passages wait for their vectors');
    failures += 1;
    return pauseFor(Math.min(limits.backOffMs * 2 ** (failures - 1), limits.maxBackOffMs));
  };

  const keep = (passages: readonly UnembeddedPassage[], vectors: readonly (Buffer | null)[]): Promise<void> => {
    const embedded = passages.map((passage, at) => ({ ...passage, vector: vectors[at] ?? null }));
    return store.write((tx) => storeVectors(tx, model, embedded));
  };

  /** A passage that is refused alone, by an endpoint that accepts others, stays without a vector. */
  const judge = async (passage: UnembeddedPassage, reason: string): Promise<Millis> => {
    const probed = await ask([PROBE]);
    if (probed.kind !== 'vectors') return fail(probed.reason);
    log.warn({ passage: passage.seq, reason }, 'the embeddings endpoint does not take a passage');
    await keep([passage], [null]);
    return succeed();
  };

  const work = async (): Promise<Millis> => {
    const early = nextAt - performance.now();
    if (early > 0) return early;
    const passages = await listUnembedded(store.read, model, atOnce);
    const [first] = passages;
    if (!first) return POLL_MS;
    const embedded = await ask(passages.map(toInput));
    if (embedded.kind === 'vectors') {
      await keep(passages, embedded.vectors);
      atOnce = Math.min(passages.length < atOnce ? atOnce : atOnce * 2, most);
      return succeed();
    }
    if (passages.length === 1) return judge(first, embedded.reason);
    // Halves the batch, until it has only the refused passage.
    atOnce = Math.max(1, Math.floor(passages.length / 2));
    return embedded.kind === 'refused' ? pauseFor(limits.intervalMs) : fail(embedded.reason);
  };

  const background = createStoppableWork(work, (error) => {
    if (background.stopping.aborted) return null;
    onError(error);
    return fail('it could not be asked');
  });
  return background;
};
