/** The sources of a workspace, for agents and persons alike. */

import { ApiError, requireFound, wrongField } from '../../kernel/errors.ts';
import type { SourceId, WorkspaceId } from '../../kernel/ids.ts';
import { MAX_SOURCES } from '../../knowledge/knowledge-limits.ts';
import { requireSourceUrl } from '../../knowledge/source-url.ts';
import { findRoom } from '../../knowledge/store-page.ts';
import type { Source, SourceKind } from '../../store/knowledge/knowledge-mappings.ts';
import { insertPage } from '../../store/knowledge/pages.ts';
import {
  countKnowledge,
  countRemovedSources,
  findSource,
  insertSource,
  listSources,
  setSourceRemoved,
  updateSource,
} from '../../store/knowledge/sources.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';

export type SourceBookNeeds = Needs<'store' | 'clock' | 'newId' | 'plans' | 'findAddresses' | 'wakeIndexer'>;

export interface NewSource {
  kind: SourceKind;
  url?: string | undefined;
  body?: string | undefined;
  title: string | null;
}

const requireSource = async (db: Db, workspaceId: WorkspaceId, id: SourceId): Promise<Source> =>
  requireFound(await findSource(db, workspaceId, id), 'source_not_found');

const invalid = (hint: string): ApiError => new ApiError('invalid_request', { hint });

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

export const createSourceBook = ({ store, clock, newId, plans, findAddresses, wakeIndexer }: SourceBookNeeds) => {
  const { read } = store;

  /** @throws ApiError knowledge_limit_reached, invalid_request, overloaded */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const { sources } = await countKnowledge(db, workspaceId);
    if (sources >= MAX_SOURCES) throw invalid(`A workspace has at most ${MAX_SOURCES} sources. Delete one.`);
    if ((await countRemovedSources(db, workspaceId, MAX_SOURCES)) >= MAX_SOURCES) {
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

  return {
    list: (workspaceId: WorkspaceId): Promise<Source[]> => listSources(read, workspaceId, MAX_SOURCES),

    get: (workspaceId: WorkspaceId, id: SourceId): Promise<Source> => requireSource(read, workspaceId, id),

    add: async (workspaceId: WorkspaceId, input: NewSource): Promise<Source> => {
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
        return source;
      });
    },

    /** A text, and a source that is already being fetched, stays as it is. */
    refresh: (workspaceId: WorkspaceId, id: SourceId): Promise<Source> =>
      store.write(async (tx) => {
        const source = await requireSource(tx.db, workspaceId, id);
        const isText = source.kind === 'text' && source.status === 'ready';
        if (isText || source.queuedAt !== null) return source;
        const queued = { status: 'pending', error: null, queuedAt: clock.now(), round: source.round + 1 } as const;
        await updateSource(tx, source, queued);
        tx.afterCommit(wakeIndexer);
        return { ...source, ...queued };
      }),

    remove: (workspaceId: WorkspaceId, id: SourceId): Promise<void> =>
      store.write(async (tx) => {
        const { seq } = await requireSource(tx.db, workspaceId, id);
        await setSourceRemoved(tx, seq, clock.now());
        tx.afterCommit(wakeIndexer);
      }),
  };
};
