/** The knowledge resource: all agents of a workspace share it. */

import type { z } from 'zod';
import { QueueRefused } from '../../budget/fair-queue.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import type { WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound, wrongField } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { SourceId, WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, readPage } from '../../kernel/page.ts';
import { MAX_REMOVED_SOURCES } from '../../knowledge/knowledge-limits.ts';
import { requireSourceUrl } from '../../knowledge/source-url.ts';
import { findRoom } from '../../knowledge/store-page.ts';
import type { Source } from '../../store/knowledge/knowledge-mappings.ts';
import { findPage, insertPage } from '../../store/knowledge/pages.ts';
import {
  countKnowledge,
  countRemovedSources,
  findBook,
  findSource,
  insertSource,
  listNewestSources,
  setSourceRemoved,
  updateSource,
} from '../../store/knowledge/sources.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type knowledgeContract, MAX_SOURCES } from './contract.ts';
import { readHome } from './knowledge-home.ts';
import { viewHit, viewPage, viewSource } from './view.ts';

type NewSource = z.output<(typeof knowledgeContract)['add']['input']>;

const requireSource = async (db: Db, workspaceId: WorkspaceId, id: SourceId): Promise<Source> =>
  requireFound(await findSource(db, workspaceId, id), 'source_not_found');

/** @throws ApiError where the fields do not fit the kind */
const requireFields = ({ kind, url, body }: NewSource): void => {
  if (kind === 'text') {
    if (url !== undefined) throw wrongField('url', 'is of a site or a page; a text has `body`');
    if (body === undefined) throw new ApiError('body_required', { hint: 'Give `body`, the text to be indexed.' });
    return;
  }
  if (body !== undefined) throw wrongField('body', `is of a text; a ${kind} has \`url\``);
  if (url === undefined)
    throw wrongField('url', `is missing: give the URL of the ${kind}, as https://example.com/docs`);
};

/** Sources that the tool shows: its reader pays per token. */
const TOOL_SOURCES = 100;
const bySeq = byPosition(({ seq }: Source) => seq);

export const createKnowledge = (
  needs: Needs<
    | 'store'
    | 'clock'
    | 'newId'
    | 'plans'
    | 'findAddresses'
    | 'wakeIndexer'
    | 'searches'
    | 'toQueryVector'
    | 'requireNoSecret'
  >,
): Handlers<typeof knowledgeContract> => {
  const { store, clock, newId, plans, findAddresses, wakeIndexer, searches, toQueryVector, requireNoSecret } = needs;

  /** @throws ApiError knowledge_limit_reached, overloaded */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const { sources } = await countKnowledge(db, workspaceId);
    if (sources >= MAX_SOURCES) {
      const hint = `A workspace has at most ${MAX_SOURCES} sources. Delete one.`;
      throw new ApiError('knowledge_limit_reached', { hint, fields: { included: MAX_SOURCES, used: sources } });
    }
    if ((await countRemovedSources(db, workspaceId, MAX_REMOVED_SOURCES)) >= MAX_REMOVED_SOURCES) {
      const hint = 'Too many deleted sources are still being removed. Add it in a few minutes.';
      throw new ApiError('overloaded', { hint, headers: { 'retry-after': '120' } });
    }
    const { included, used } = await findRoom(db, plans, workspaceId);
    if (included !== null && used >= included) {
      throw new ApiError('knowledge_limit_reached', { fields: { included, used } });
    }
  };

  const insertText = async (tx: Tx, source: Source, text: string): Promise<void> => {
    const { workspaceId, title, createdAt, round } = source;
    const empty = { summary: '', headings: [], links: [], etag: null, lastModified: null, url: null };
    const page = { ...empty, id: newId<'page'>(), workspaceId, sourceSeq: source.seq, title, text };
    await insertPage(tx, { ...page, fetchedAt: createdAt, revision: 0, round });
  };

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

    home: async ({ workspaceId }) => {
      const home = await readHome(store.read, workspaceId);
      const sources = home.sources.slice(0, TOOL_SOURCES);
      return { ...home, sources, sources_left_out: home.sources.length - sources.length };
    },

    search,

    page: async ({ workspaceId }, { id, max_chars, offset }) => {
      const page = requireFound(await findPage(store.read, workspaceId, id), 'page_not_found');
      return viewPage(page, offset, max_chars);
    },

    list: async ({ workspaceId }, input) => {
      const { rows, next_cursor } = await readPage(input, bySeq, (after, limit) =>
        listNewestSources(store.read, workspaceId, after, limit),
      );
      return { sources: rows.map(viewSource), next_cursor };
    },

    add: async (caller, input) => {
      const { workspaceId } = caller;
      // A URL's host reads all of the URL.
      if (caller.kind === 'agent') await requireNoSecret(workspaceId, [input.url ?? '']);
      requireFields(input);
      const { kind, body, title } = input;
      const url = input.url === undefined ? null : await requireSourceUrl(input.url, findAddresses);
      const now = clock.now();
      const fresh = {
        id: newId<'source'>(),
        workspaceId,
        kind,
        url,
        title,
        status: 'pending' as const,
        error: null,
        pages: 0,
        lastIndexedAt: null,
        createdAt: now,
        queuedAt: now,
        round: 1,
        crawlOrigin: null,
        crawlOctets: 0,
        crawlMs: 0,
        removedAt: null,
      };
      return store.write(async (tx) => {
        await requireRoom(tx.db, workspaceId);
        const source = await insertSource(tx, fresh);
        if (body !== undefined) await insertText(tx, source, body);
        tx.afterCommit(wakeIndexer);
        return viewSource(source);
      });
    },

    get: async ({ workspaceId }, { id }) => viewSource(await requireSource(store.read, workspaceId, id)),

    /** A text, and a source that is already being fetched, stays as it is. */
    refresh: ({ workspaceId }, { id }) =>
      store.write(async (tx) => {
        const source = await requireSource(tx.db, workspaceId, id);
        const isText = source.kind === 'text' && source.status === 'ready';
        if (isText || source.queuedAt !== null) return { id, status: source.status };
        const queued = { status: 'pending', error: null, queuedAt: clock.now(), round: source.round + 1 } as const;
        await updateSource(tx, source, queued);
        tx.afterCommit(wakeIndexer);
        return { id, status: queued.status };
      }),

    remove: ({ workspaceId }, { id }, { record }) =>
      store.write(async (tx) => {
        const source = await requireSource(tx.db, workspaceId, id);
        await setSourceRemoved(tx, source.seq, clock.now());
        tx.afterCommit(wakeIndexer);
        return record(tx, { workspaceId, subject: source.title ?? source.url ?? id }, { deleted: true });
      }),
  };
};
