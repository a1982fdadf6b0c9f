/** The knowledge resource: all agents of a workspace share it. */

import { QueueRefused } from '../../budget/fair-queue.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import type { WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { findPage } from '../../store/knowledge/pages.ts';
import { findBook } from '../../store/knowledge/sources.ts';
import type { QueryVector } from '../../store/search/passages/passage-search.ts';
import type { Needs } from '../needs.ts';
import type { knowledgeContract } from './contract.ts';
import { readHome } from './knowledge-home.ts';
import { createSourceBook, type SourceBookNeeds } from './source-book.ts';
import { viewHit, viewPage, viewSource } from './view.ts';

export interface KnowledgeNeeds extends SourceBookNeeds, Needs<'searches' | 'requireNoSecret'> {
  /** Null: the search goes by words alone. */
  toQueryVector: (text: string) => Promise<QueryVector | null>;
}

export const createKnowledge = (needs: KnowledgeNeeds): Handlers<typeof knowledgeContract> => {
  const { store, searches, toQueryVector, requireNoSecret } = needs;
  const book = createSourceBook(needs);

  const search = async (caller: WorkspaceCaller, { q, limit }: { q: string; limit: number }) => {
    const { workspaceId } = caller;
    const number = await findBook(store.read, workspaceId);
    if (number === null) return { hits: [] };
    // Awaited before the search's turn, so that a slow endpoint blocks no slot.
    const nearest = await toQueryVector(q);
    const query = { workspaceId, book: number, text: q, limit, nearest };
    const hits = await searches
      .run(toQuotaSubject(caller), () => store.searchPassages(query))
      .catch((error: unknown) => {
        if (!(error instanceof QueueRefused)) throw error;
        const hint = 'Too many searches wait already. Search again in a moment.';
        throw new ApiError('overloaded', { hint, headers: { 'retry-after': '5' }, cause: error });
      });
    return { hits: hits.map(viewHit) };
  };

  return {
    find: (caller, { q, limit }) =>
      q === undefined || q === '' ? readHome(store.read, caller.workspaceId) : search(caller, { q, limit }),

    home: ({ workspaceId }) => readHome(store.read, workspaceId),

    search,

    page: async ({ workspaceId }, { id, max_chars, offset }) => {
      const page = requireFound(await findPage(store.read, workspaceId, id), 'page_not_found');
      return viewPage(page, offset, max_chars);
    },

    list: async ({ workspaceId }) => ({ sources: (await book.list(workspaceId)).map(viewSource) }),

    add: async (caller, input) => {
      // A URL's host reads all of the URL.
      if (caller.kind === 'agent') await requireNoSecret(caller.workspaceId, [input.url ?? '']);
      return viewSource(await book.add(caller.workspaceId, input));
    },

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
