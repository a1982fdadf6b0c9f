/** Reads the pages listed in a site's sitemaps. */

import type { KnowledgeLimits } from '../knowledge-limits.ts';
import { fetchDocument } from './fetch-document.ts';
import type { RulesNeeds, SiteRules } from './site-rules.ts';

/**
 * Skips an unreadable sitemap.
 * @param mayGoOn called before each sitemap is fetched
 * @returns at most as many URLs as a crawl remembers
 */
export const readSitemaps = async (
  { fetching, workers, quotaSubject }: RulesNeeds,
  { follow, intervalMs, sitemaps }: SiteRules,
  { sitemaps: most, knownUrls }: KnowledgeLimits,
  mayGoOn: () => boolean,
): Promise<string[]> => {
  const waiting = [...sitemaps];
  const seen = new Set<string>();
  const pages = new Set<string>();
  const refuseRedirect = async (url: string) =>
    new URL(url).origin === follow.origin ? null : 'redirected to another site';
  for (let at = 0; at < waiting.length && seen.size < most && pages.size < knownUrls && mayGoOn(); at += 1) {
    const url = waiting[at];
    if (url === undefined || seen.has(url)) continue;
    seen.add(url);
    const fetched = await fetchDocument(fetching, url, { intervalMs, refuseRedirect });
    if (fetched.kind !== 'document') continue;
    const task = { kind: 'read-sitemap', octets: fetched.octets, follow } as const;
    const read = await workers.run(task, quotaSubject).catch(() => null);
    if (read === null) continue;
    for (const page of read.pages.slice(0, knownUrls - pages.size)) pages.add(page);
    waiting.push(...read.sitemaps.slice(0, most));
  }
  return [...pages];
};
