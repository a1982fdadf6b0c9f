/**
 * Crawls a site: from its first page and its sitemaps along links of the same origin, within robots.txt and the
 * limits. The store has the crawl's state, so that it continues after a stop or a crash.
 */

import { onSite } from '../../documents/links.ts';
import type { Millis } from '../../kernel/clock.ts';
import {
  addCrawlUrl,
  countCrawlUrls,
  isCrawlUrlDone,
  nextCrawlUrl,
  setCrawlUrlState,
} from '../../store/knowledge/crawl-urls.ts';
import type { CrawlUrl, Source, UrlState } from '../../store/knowledge/knowledge-mappings.ts';
import { countPagesOfRound, findPageByUrl } from '../../store/knowledge/pages.ts';
import { updateSource } from '../../store/knowledge/sources.ts';
import type { Tx } from '../../store/store.ts';
import { readOrNull } from '../../workers/reading/read-or-null.ts';
import type { KnowledgeLimits } from '../knowledge-limits.ts';
import { fetchDocument } from './fetch-document.ts';
import { type IndexedUrl, type IndexNeeds, indexUrl, quotaSubjectOf } from './index-url.ts';
import { loadSiteRules, type RulesNeeds, type SiteRules } from './site-rules.ts';

/**
 * Skips an unreadable sitemap.
 * @param mayGoOn called before each sitemap is fetched
 * @returns at most as many URLs as a crawl remembers; whether every sitemap answered
 */
const readSitemaps = async (
  { fetching, workers, quotaSubject }: RulesNeeds,
  { follow, intervalMs, sitemaps }: SiteRules,
  { sitemaps: most, knownUrls }: KnowledgeLimits,
  mayGoOn: () => boolean,
): Promise<{ urls: string[]; isWhole: boolean }> => {
  const waiting = [...sitemaps];
  const seen = new Set<string>();
  const pages = new Set<string>();
  let isWhole = true;
  const refuseRedirect = async (url: string) =>
    onSite(url, follow.origin) === null ? 'redirected to another site' : null;
  for (let at = 0; at < waiting.length && seen.size < most && pages.size < knownUrls && mayGoOn(); at += 1) {
    const url = waiting[at];
    if (url === undefined || seen.has(url)) continue;
    seen.add(url);
    const fetched = await fetchDocument(fetching, url, { intervalMs, refuseRedirect });
    isWhole &&= fetched.kind !== 'failed' && fetched.kind !== 'later';
    if (fetched.kind !== 'document') continue;
    const task = { kind: 'read-sitemap', octets: fetched.octets, follow } as const;
    const read = await workers.run(task, quotaSubject).catch(() => null);
    if (read === null) continue;
    for (const page of read.pages.slice(0, knownUrls - pages.size)) pages.add(page);
    waiting.push(...read.sitemaps.slice(0, most));
  }
  return { urls: [...pages], isWhole };
};

export type CrawlEnd =
  /** `cut`: the bound that ended it early; null: none. */
  | {
      kind: 'done';
      title: string | null;
      cut: 'pages' | 'plan' | 'octets' | 'time' | 'fetches' | 'sitemap' | 'length' | null;
    }
  | { kind: 'failed'; reason: string };

/** Outcomes of the first page that end the crawl. The site keeps its pages. */
const NOT_READ: ReadonlySet<IndexedUrl['kind']> = new Set(['failed', 'gone', 'full', 'later']);

/** The states of URLs that were not read; `done` for all other outcomes. */
const STATES: Readonly<Partial<Record<IndexedUrl['kind'], UrlState>>> = {
  failed: 'failed',
  gone: 'failed',
  later: 'waiting',
};

/** Answers 429 in a row after which a page is left out: a site may give them for that page alone. */
const MAX_LATER = 5;

/** Known URLs that one transaction adds. */
const URLS_AT_ONCE = 100;

const originOf = (url: string): string => new URL(url).origin;

export const crawlSite = async (needs: IndexNeeds, source: Source): Promise<CrawlEnd> => {
  const { store, fetching, workers } = needs;
  const { limits } = fetching;
  const { seq: sourceSeq, url: start, round } = source;
  if (start === null) return { kind: 'failed', reason: 'the source has no URL' };
  const rulesNeeds = { fetching, workers, quotaSubject: quotaSubjectOf(source) };

  const begun = performance.now();
  const spentMs = (): Millis => source.crawlMs + Math.round(performance.now() - begun);
  let octets = source.crawlOctets;
  let origin = source.crawlOrigin;
  let title: string | null = null;
  let known = 0;

  const first = await loadSiteRules(rulesNeeds, origin === null ? start : `${origin}/`);
  if (first.kind === 'unreachable') return { kind: 'failed', reason: `robots.txt: ${first.reason}` };
  let rules: SiteRules = first.rules;

  const isAllowed = async (url: string): Promise<boolean> => {
    const { robots } = rules.follow;
    if (robots === null) return true;
    const task = { kind: 'read-robots', octets: Buffer.from(robots), origin: rules.follow.origin, start: url } as const;
    return (await readOrNull(workers.run(task, rulesNeeds.quotaSubject)))?.isStartAllowed ?? false;
  };
  /** The first page may redirect to the site's new origin. */
  const refuseRedirect =
    (isStart: boolean) =>
    async (url: string): Promise<string | null> => {
      const { origin } = rules.follow;
      // The first page decides on the scheme.
      const onSame = isStart && originOf(url) !== origin ? null : onSite(url, origin);
      if (onSame !== null) return (await isAllowed(onSame)) ? null : 'robots.txt does not allow it';
      if (!isStart) return 'redirected to another site';
      const found = await loadSiteRules(rulesNeeds, url);
      if (found.kind === 'unreachable') return `robots.txt: ${found.reason}`;
      rules = found.rules;
      return rules.isStartAllowed ? null : 'robots.txt does not allow it';
    };

  const addUrls = async (tx: Tx, urls: readonly string[], depth: number): Promise<void> => {
    if (depth > limits.depth) return;
    for (const url of urls) {
      if (known >= limits.knownUrls) return;
      if (await addCrawlUrl(tx, { sourceSeq, url, depth, state: 'waiting' })) known += 1;
    }
  };
  const addManyUrls = async (urls: readonly string[], depth: number): Promise<void> => {
    for (let at = 0; at < urls.length; at += URLS_AT_ONCE) {
      await store.write((tx) => addUrls(tx, urls.slice(at, at + URLS_AT_ONCE), depth));
    }
  };

  const record =
    ({ url, depth }: CrawlUrl) =>
    async (tx: Tx, indexed: IndexedUrl): Promise<void> => {
      const state = STATES[indexed.kind] ?? 'done';
      await setCrawlUrlState(tx, { sourceSeq, url, depth }, state);
      if (indexed.url !== url) await setCrawlUrlState(tx, { sourceSeq, url: indexed.url, depth }, state);
      await addUrls(tx, indexed.links.slice(0, limits.knownUrls), depth + 1);
      const values = { crawlOctets: octets + indexed.octets, crawlMs: spentMs(), crawlOrigin: rules.follow.origin };
      await updateSource(tx, source, { ...values, ...(source.title === null && title !== null && { title }) });
    };

  const process = async (next: CrawlUrl): Promise<IndexedUrl> => {
    const isStart = next.depth === 0;
    const indexed = await indexUrl(
      needs,
      source,
      {
        url: next.url,
        // The first page may change the origin.
        follow: () => rules.follow,
        intervalMs: rules.intervalMs,
        refuseRedirect: refuseRedirect(isStart),
        isDone: (url) => isCrawlUrlDone(store.read, sourceSeq, url),
      },
      async (tx, result) => {
        if (isStart) title = result.title;
        await record(next)(tx, result);
      },
    );
    octets += indexed.octets;
    return indexed;
  };

  const counts = await countCrawlUrls(store.read, sourceSeq);
  let fetches = counts.done + counts.failed;
  let pages = await countPagesOfRound(store.read, sourceSeq, round);
  known = fetches + counts.waiting;

  if (origin === null) {
    if (!rules.isStartAllowed) return { kind: 'failed', reason: 'robots.txt does not allow the first page' };
    const indexed = await process({ seq: 0, sourceSeq, url: start, depth: 0, state: 'waiting' });
    if (NOT_READ.has(indexed.kind)) return { kind: 'failed', reason: indexed.reason };
    if (indexed.kind !== 'skipped') pages += 1;
    fetches += 1;
    origin = rules.follow.origin;
  }
  const mayGoOn = (): boolean => spentMs() < limits.crawlMs;
  const { urls, isWhole } = await readSitemaps(rulesNeeds, rules, limits, mayGoOn);
  await addManyUrls(urls, 1);

  /** The plan's pages are used up: pages that are there are read again, new ones are passed over. */
  let isFull = false;
  let later = 0;
  const passOver = (next: CrawlUrl): Promise<void> => store.write((tx) => setCrawlUrlState(tx, next, 'failed'));
  for (;;) {
    const next = await nextCrawlUrl(store.read, sourceSeq);
    if (next === null) return { kind: 'done', title, cut: !isWhole ? 'sitemap' : isFull ? 'plan' : null };
    if (pages >= limits.pages) return { kind: 'done', title, cut: 'pages' };
    if (octets >= limits.octets) return { kind: 'done', title, cut: 'octets' };
    if (fetches >= limits.fetches) return { kind: 'done', title, cut: 'fetches' };
    if (!mayGoOn()) return { kind: 'done', title, cut: 'time' };
    if (isFull && !(await findPageByUrl(store.read, sourceSeq, next.url))) {
      await passOver(next);
      continue;
    }
    const indexed = await process(next);
    later = indexed.kind === 'later' ? later + 1 : 0;
    if (indexed.kind === 'full') isFull = true;
    if (indexed.kind === 'full' || later >= MAX_LATER) {
      later = 0;
      await passOver(next);
    }
    if (indexed.kind === 'stored' || indexed.kind === 'unchanged') pages += 1;
    fetches += 1;
  }
};
