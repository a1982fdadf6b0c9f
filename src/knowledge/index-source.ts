/** Indexes one source, from its queued state to its end. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { deleteCrawlUrls } from '../store/knowledge/crawl-urls.ts';
import type { Source } from '../store/knowledge/knowledge-mappings.ts';
import { deletePage, findPageByUrl, findPageText, GONE_ROUND, listOutdatedPages } from '../store/knowledge/pages.ts';
import { addToPages, findBook, updateSource } from '../store/knowledge/sources.ts';
import { toTermPrefix } from '../store/search/passages/passage-search.ts';
import { readOrNull } from '../workers/reading/read-or-null.ts';
import { type CrawlEnd, crawlSite } from './crawl/crawl-site.ts';
import { UNPARSED } from './crawl/fetch-document.ts';
import { type IndexNeeds, indexUrl, NO_TEXT, quotaSubjectOf } from './crawl/index-url.ts';
import { deleteAllPassages, requireRound, storePage } from './store-page.ts';

const ROWS_AT_ONCE = 200;
const MAX_ERROR = 300;

/** The reasons for which a crawl ended early, in the source's words. */
const CUTS: Readonly<Record<Exclude<Extract<CrawlEnd, { kind: 'done' }>['cut'], null>, string>> = {
  pages: 'Not all of the site is indexed: it has more pages than one source may have.',
  plan: "Not all of the source is indexed: the plan's pages are used up.",
  octets: 'Not all of the site is indexed: it is larger than one crawl may fetch.',
  time: 'Not all of the site is indexed: the time of one crawl ended.',
  fetches: 'Not all of the site is indexed: too many of its pages have no text or could not be fetched.',
  length: 'Not all of the page is indexed: it is longer than one page may be.',
  sitemap: 'Perhaps not all of the site is indexed: a sitemap could not be fetched.',
};
/** What such a crawl has not come to may still be there: its pages stay as they are. */
const UNSEEN: ReadonlySet<string | null> = new Set<keyof typeof CUTS>(['octets', 'time', 'fetches', 'sitemap']);

/** Starts a queued source; continues one that was being indexed. */
const begin = async ({ store }: IndexNeeds, source: Source): Promise<Source> => {
  if (source.status === 'indexing') return source;
  while ((await store.write((tx) => deleteCrawlUrls(tx, source.seq, ROWS_AT_ONCE))) > 0) await yieldToLoop();
  return store.write(async (tx) => {
    const current = await requireRound(tx.db, source);
    const begun = { status: 'indexing', crawlOrigin: null, crawlOctets: 0, crawlMs: 0 } as const;
    await updateSource(tx, current, begun);
    return { ...current, ...begun };
  });
};

const indexText = async (needs: IndexNeeds, source: Source): Promise<CrawlEnd> => {
  const { store, workers, clock } = needs;
  const page = await findPageByUrl(store.read, source.seq, null);
  const text = page && (await findPageText(store.read, page.seq));
  if (!page || text === null) return { kind: 'failed', reason: 'the text is gone' };
  const termPrefix = toTermPrefix((await findBook(store.read, source.workspaceId)) ?? 0);
  const task = { kind: 'read-text', text, title: source.title, termPrefix } as const;
  const reading = (await readOrNull(workers.run(task, quotaSubjectOf(source)))) ?? UNPARSED;
  if (reading.kind !== 'read') return { kind: 'failed', reason: reading.reason };
  const stored = { url: null, reading, etag: null, lastModified: null, fetchedAt: clock.now() };
  const isStored = await storePage(needs, source, stored, async () => {});
  return isStored ? { kind: 'done', title: reading.title, cut: null } : { kind: 'done', title: null, cut: 'plan' };
};

const indexPage = async (needs: IndexNeeds, source: Source): Promise<CrawlEnd> => {
  const wanted = {
    url: source.url ?? '',
    follow: () => null,
    intervalMs: needs.fetching.limits.intervalMs,
    refuseRedirect: async () => null,
    isDone: async () => false,
  };
  const { kind, reason, title, isCut } = await indexUrl(needs, source, wanted, async () => {});
  if (kind === 'stored' || kind === 'unchanged') return { kind: 'done', title, cut: isCut ? 'length' : null };
  return { kind: 'failed', reason };
};

/** Deletes the pages that no round has seen since `round`. */
const deleteOutdated = async ({ store }: IndexNeeds, source: Source, round: number): Promise<void> => {
  for (;;) {
    const [page] = await listOutdatedPages(store.read, source.seq, round, 1);
    if (!page) return;
    await deleteAllPassages(store, page.seq);
    await store.write(async (tx) => {
      await requireRound(tx.db, source);
      await deletePage(tx, page.seq);
      if (page.isShown) await addToPages(tx, source.seq, -1);
    });
    await yieldToLoop();
  }
};

const toError = (reason: string): string => `It could not be read: ${reason}`.slice(0, MAX_ERROR).toWellFormed();

/** @throws SourceChanged, PoolBusy, QueueRefused; the abort of `fetching` */
export const indexSource = async (needs: IndexNeeds, queued: Source): Promise<void> => {
  const { store, clock } = needs;
  const source = await begin(needs, queued);
  const work = { site: crawlSite, page: indexPage, text: indexText }[source.kind];
  const end = await work(needs, source);
  if (end.kind === 'done') await deleteOutdated(needs, source, UNSEEN.has(end.cut) ? GONE_ROUND + 1 : source.round);
  await store.write(async (tx) => {
    const { title, pages } = await requireRound(tx.db, source);
    const isEmpty = end.kind === 'done' && pages === 0;
    const failure = end.kind === 'failed' ? toError(end.reason) : isEmpty ? toError(NO_TEXT) : null;
    await updateSource(tx, source, {
      queuedAt: null,
      status: failure === null ? 'ready' : 'failed',
      error: failure ?? (end.kind === 'done' && end.cut !== null ? CUTS[end.cut] : null),
      ...(failure === null && { lastIndexedAt: clock.now() }),
      ...(title === null && end.kind === 'done' && end.title !== null && { title: end.title }),
    });
  });
};

/** Ends a round that failed unexpectedly. */
export const failSource = async ({ store }: Pick<IndexNeeds, 'store'>, source: Source): Promise<void> => {
  await store.write(async (tx) => {
    await requireRound(tx.db, source);
    await updateSource(tx, source, {
      queuedAt: null,
      status: 'failed',
      error: 'It could not be indexed. Refresh it to try again.',
    });
  });
};
