/** The knowledge base: its indexer, the vectors of its passages, and the deletion of removed sources. */

import type { Config } from '../../config/config.ts';
import type { Log } from '../../kernel/log.ts';
import { createIndexer } from '../../knowledge/indexer.ts';
import { KNOWLEDGE_LIMITS } from '../../knowledge/knowledge-limits.ts';
import { EVERY_MINUTE } from '../jobs.ts';
import type { Network } from '../network.ts';
import type { Part } from '../part.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';
import { createEmbeddings } from './embeddings-part.ts';

export type Knowledge = ReturnType<typeof createKnowledgePart>;

export const createKnowledgePart = (
  config: Config,
  log: Log,
  { store, newId, plans, runtime }: Storage,
  { request, resolver, extraCa }: Network,
  { budget, workers, onError }: Processing,
) => {
  const embeddings = createEmbeddings(config, { store, runtime, resolver, extraCa, log, onError });
  const indexer = createIndexer({
    store,
    newId,
    plans,
    workers,
    request,
    onError,
    onPageStored: embeddings.wake,
    clock: runtime.clock,
    turns: budget.crawls,
    userAgent: `Postroom (+${config.public_url}/docs/knowledge)`,
    limits: { ...KNOWLEDGE_LIMITS, ...runtime.knowledge },
  });
  return {
    wake: indexer.wake,
    toQueryVector: embeddings.toQueryVector,
    toVectors: embeddings.toVectors,
    /** On each box: searches by meaning. */
    queries: { start: embeddings.start } satisfies Part,
    start: () => {
      embeddings.lead();
      indexer.start();
    },
    stop: async () => {
      await indexer.stop();
      await embeddings.stop();
    },
    jobs: [{ name: 'purge knowledge', pattern: EVERY_MINUTE, run: indexer.purge }],
  };
};
