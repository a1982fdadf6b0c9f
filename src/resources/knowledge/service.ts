/** The knowledge resource: it is the workspace's, whichever of its agents asks. */

import type { Place, PlaceHandlers } from '../../access/reach.ts';
import { type FairQueue, QueueRefused } from '../../budget/fair-queue.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findPage } from '../../store/knowledge/pages.ts';
import { findBook } from '../../store/knowledge/sources.ts';
import type { QueryVector } from '../../store/search/passages/passage-search.ts';
import type { RequireNoSecret } from '../../vault/require-no-secret.ts';
import type { knowledgeContract } from './contract.ts';
import { readHome } from './knowledge-home.ts';
import { createSourceBook, type SourceBookNeeds } from './source-book.ts';
import { viewHit, viewPage, viewSource } from './view.ts';

export interface KnowledgeNeeds extends SourceBookNeeds {
  searches: Pick<FairQueue, 'run'>;
  /** Null: the search goes by words alone. */
  toQueryVector: (text: string) => Promise<QueryVector | null>;
}

/** What agents and persons do alike. */
export const createKnowledgeHandlers = (
  needs: KnowledgeNeeds,
): PlaceHandlers<Omit<typeof knowledgeContract, 'find'>> => {
  const { store, searches, toQueryVector } = needs;
  const book = createSourceBook(needs);
  return {
    home: ({ workspaceId }) => readHome(store.read, workspaceId),

    search: async (place, { q, limit }) => {
      const { workspaceId } = place;
      const number = await findBook(store.read, workspaceId);
      if (number === null) return { hits: [] };
      const occupant = { workspace: workspaceId, ...('keyId' in place && { key: String(place.keyId) }) };
      // Before its turn, which it does not hold while it waits for an endpoint.
      const nearest = await toQueryVector(q);
      const query = { workspaceId, book: number, text: q, limit, nearest };
      const hits = await searches
        .run(occupant, () => store.searchPassages(query))
        .catch((error: unknown) => {
          if (!(error instanceof QueueRefused)) throw error;
          const hint = 'Too many searches wait already. Search again in a moment.';
          throw new ApiError('overloaded', { hint, headers: { 'retry-after': '5' }, cause: error });
        });
      return { hits: hits.map(viewHit) };
    },

    page: async ({ workspaceId }, { id, max_chars, offset }) => {
      const page = await findPage(store.read, workspaceId, id);
      if (!page) throw new ApiError('page_not_found');
      return viewPage(page, offset, max_chars);
    },

    list: async ({ workspaceId }) => ({ sources: (await book.list(workspaceId)).map(viewSource) }),

    add: async ({ workspaceId }, input) => viewSource(await book.add(workspaceId, input)),

    get: async ({ workspaceId }, { id }) => viewSource(await book.get(workspaceId, id)),

    refresh: async ({ workspaceId }, { id }) => {
      const { id: sourceId, status } = await book.refresh(workspaceId, id);
      return { id: sourceId, status };
    },

    remove: async ({ workspaceId }, { id }) => {
      await book.remove(workspaceId, id);
      return { deleted: true };
    },
  };
};

export const createKnowledge = (
  needs: KnowledgeNeeds & { requireNoSecret: RequireNoSecret },
): Handlers<typeof knowledgeContract> => {
  const handlers = createKnowledgeHandlers(needs);
  return {
    ...handlers,
    // The host of a URL reads all of it.
    add: async (caller, input, call) => {
      await needs.requireNoSecret(caller.workspaceId, [input.url ?? '']);
      return handlers.add(caller, input, call);
    },
    find: async (caller: AgentCaller & Place, { q, limit }, call) =>
      q === undefined || q === '' ? handlers.home(caller, {}, call) : handlers.search(caller, { q, limit }, call),
  };
};
