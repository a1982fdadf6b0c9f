/** Fetches one URL of a source and stores its page. */

import type { FairQueue } from '../../budget/fair-queue.ts';
import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { hasDirective } from '../../documents/html/page-head.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Source } from '../../store/knowledge/knowledge-mappings.ts';
import { findPageByUrl, findPageLinks, GONE_ROUND, updatePage } from '../../store/knowledge/pages.ts';
import { findBook } from '../../store/knowledge/sources.ts';
import { toTermPrefix } from '../../store/search/passages/passage-search.ts';
import type { Tx } from '../../store/store.ts';
import type { LinkRules } from '../../workers/document-tasks.ts';
import { readOrNull } from '../../workers/reading/read-or-null.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { type PageNeeds, requireRound, storePage } from '../store-page.ts';
import { type Fetching, type FetchOptions, fetchDocument, UNPARSED } from './fetch-document.ts';

export interface IndexNeeds extends PageNeeds {
  clock: Clock;
  workers: Pick<WorkerPool, 'run'>;
  /** The fair queue of fetches, by workspace. */
  turns: FairQueue;
  fetching: Fetching;
}

export interface UrlToIndex extends Pick<FetchOptions, 'intervalMs' | 'refuseRedirect'> {
  url: string;
  /** Called once the document is fetched. Null: its links are not needed. */
  follow(): LinkRules | null;
  /** Whether the URL after redirects is done already, so that its page is not read again. */
  isDone(url: string): Promise<boolean>;
}

export interface IndexedUrl {
  /** `full`: the plan's pages are used up. `later`: its host is asked nothing for a while. */
  kind: 'stored' | 'unchanged' | 'skipped' | 'gone' | 'failed' | 'full' | 'later';
  /** After redirects. */
  url: string;
  title: string | null;
  links: readonly string[];
  octets: number;
  /** Whether the page is longer than what is kept of it. */
  isCut: boolean;
  /** The reason for a missing page; '' where there is one. */
  reason: string;
}

export const quotaSubjectOf = ({ workspaceId }: Pick<Source, 'workspaceId'>): QuotaSubject => ({
  workspace: workspaceId,
});

/** The stored page of a URL with such an outcome stays. */
const KEEPS: ReadonlySet<IndexedUrl['kind']> = new Set(['unchanged', 'failed', 'later']);

/** A page that scripts write in the browser has none. */
export const NO_TEXT = 'no text is in what the server sends; what scripts add in a browser is not read';

const NOTHING = { title: null, links: [], octets: 0, isCut: false, reason: '' } as const;

/**
 * @param inTransaction runs in the transaction that records the URL's outcome
 * @throws SourceChanged, PoolBusy, QueueRefused; the abort of `fetching`
 */
export const indexUrl = async (
  needs: IndexNeeds,
  source: Source,
  { url, follow, intervalMs, refuseRedirect, isDone }: UrlToIndex,
  inTransaction: (tx: Tx, indexed: IndexedUrl) => Promise<void>,
): Promise<IndexedUrl> => {
  const { store, clock, workers, turns, fetching } = needs;
  const quotaSubject = quotaSubjectOf(source);
  const known = await findPageByUrl(store.read, source.seq, url);
  const validators = known && known.revision > 0 ? { etag: known.etag, lastModified: known.lastModified } : {};

  const record = async (indexed: IndexedUrl): Promise<IndexedUrl> => {
    await store.write(async (tx) => {
      await requireRound(tx.db, source);
      if (known) await updatePage(tx, known.seq, { round: KEEPS.has(indexed.kind) ? source.round : GONE_ROUND });
      await inTransaction(tx, indexed);
    });
    return indexed;
  };
  /** Those of the stored copy: what it leads to is found also while it cannot be read. */
  const knownLinks = async (): Promise<string[]> => (known && follow() ? findPageLinks(store.read, known.seq) : []);

  // Waits for a slow host before it takes a slot.
  await fetching.rate.take(new URL(url).host, intervalMs, fetching.signal);
  const fetched = await turns.run(quotaSubject, () =>
    fetchDocument(fetching, url, { ...validators, intervalMs, refuseRedirect, isPaced: true }),
  );
  const { transferred } = fetched;
  if (fetched.kind === 'later') {
    await fetching.rate.take(new URL(url).host, fetched.afterMs, fetching.signal);
    return record({ ...NOTHING, octets: transferred, kind: 'later', url, reason: fetched.reason });
  }
  if (fetched.kind === 'unchanged') {
    if (!known)
      return record({
        ...NOTHING,
        octets: transferred,
        kind: 'failed',
        url,
        reason: 'the server answered 304 to no condition',
      });
    const links = await knownLinks();
    return record({ ...NOTHING, octets: transferred, kind: 'unchanged', url, title: known.title, links });
  }
  if (fetched.kind === 'gone')
    return record({ ...NOTHING, octets: transferred, kind: 'gone', url, reason: fetched.reason });
  if (fetched.kind !== 'document') {
    const links = await knownLinks();
    return record({ ...NOTHING, octets: transferred, kind: 'failed', url, links, reason: fetched.reason });
  }

  const { url: final, octets, mediaType, charset } = fetched;
  const common = { ...NOTHING, url: final, octets: Math.max(octets.length, transferred) };
  if (final !== url && (await isDone(final))) return record({ ...common, kind: 'skipped', reason: 'read already' });
  const termPrefix = toTermPrefix((await findBook(store.read, source.workspaceId)) ?? 0);
  const task = { kind: 'read-document', octets, mediaType, charset, url: final, follow: follow(), termPrefix } as const;
  const reading = (await readOrNull(workers.run(task, quotaSubject))) ?? UNPARSED;
  if (reading.kind !== 'read') return record({ ...common, kind: 'gone', reason: reading.reason });
  const { title } = reading;
  const links = hasDirective(fetched.robots, 'nofollow') ? [] : reading.links;
  const read = { ...common, title, links };
  if (reading.isUnindexed || hasDirective(fetched.robots, 'noindex')) {
    return record({ ...read, kind: 'skipped', reason: 'the page asks not to be indexed' });
  }
  if (reading.text === '') return record({ ...read, kind: 'skipped', reason: NO_TEXT });
  const page = { url: final, reading: { ...reading, links: [...links] }, fetchedAt: clock.now() };
  // A page that is cut is read anew each time, and says so again.
  const { etag, lastModified } = reading.isCut ? { etag: null, lastModified: null } : fetched;
  const stored = { ...read, kind: 'stored', isCut: reading.isCut } as const;
  const isStored = await storePage(needs, source, { ...page, etag, lastModified }, (tx) => inTransaction(tx, stored));
  return isStored ? stored : { ...read, kind: 'full', reason: "the plan's pages are used up" };
};
