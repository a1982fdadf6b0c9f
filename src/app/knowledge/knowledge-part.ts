/** The knowledge base: its indexer, and the deletion of what was removed. */

import type { Config } from '../../config/config.ts';
import { createIndexer } from '../../knowledge/indexer.ts';
import { KNOWLEDGE_LIMITS } from '../../knowledge/knowledge-limits.ts';
import { EVERY_MINUTE } from '../jobs.ts';
import type { Network } from '../network.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';

export type Knowledge = ReturnType<typeof createKnowledgePart>;

export const createKnowledgePart = (
  { public_url: publicUrl }: Config,
  { store, newId, plans, runtime }: Storage,
  { request }: Network,
  { budget, workers, onError }: Processing,
) => {
  const indexer = createIndexer({
    ...{ store, newId, plans, workers, request, onError },
    clock: runtime.clock,
    turns: budget.crawls,
    userAgent: `Postroom (+${publicUrl}/docs/knowledge)`,
    limits: { ...KNOWLEDGE_LIMITS, ...runtime.knowledge },
  });
  return {
    wake: indexer.wake,
    start: indexer.start,
    stop: indexer.stop,
    jobs: [{ name: 'purge knowledge', pattern: EVERY_MINUTE, run: indexer.purge }],
  };
};
