/** The limits that robots.txt sets a crawl (RFC 9309). Worker threads apply its rules. */

import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { SECOND } from '../../kernel/clock.ts';
import type { LinkRules, RobotsReading } from '../../workers/document-tasks.ts';
import { readOrNull } from '../../workers/reading/read-or-null.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { type Fetching, fetchDocument, UNPARSED } from './fetch-document.ts';

export interface SiteRules {
  readonly follow: LinkRules;
  readonly intervalMs: number;
  readonly sitemaps: readonly string[];
  readonly isStartAllowed: boolean;
}

export type FoundRules =
  | { kind: 'found'; rules: SiteRules }
  /** It exists but cannot be read: nothing may be fetched (RFC 9309 section 2.3.1.4). */
  | { kind: 'unreachable'; reason: string };

export interface RulesNeeds {
  fetching: Fetching;
  workers: Pick<WorkerPool, 'run'>;
  quotaSubject: QuotaSubject;
}

const originOf = (url: string): string => new URL(url).origin;

/** The rules of an origin. @param start one of its URLs, which the rules are tested with */
export const loadSiteRules = async (
  { fetching, workers, quotaSubject }: RulesNeeds,
  start: string,
): Promise<FoundRules> => {
  const { limits } = fetching;
  const origin = originOf(start);
  const url = `${origin}/robots.txt`;
  // RFC 9309 section 2.3.1.2: redirects are followed, also to other hosts.
  const fetched = await fetchDocument(fetching, url, {
    intervalMs: limits.intervalMs,
    refuseRedirect: async () => null,
  });
  if (fetched.kind === 'failed') return { kind: 'unreachable', reason: fetched.reason };
  const read: RobotsReading | null =
    fetched.kind === 'document'
      ? await readOrNull(workers.run({ kind: 'read-robots', octets: fetched.octets, origin, start }, quotaSubject))
      : null;
  if (fetched.kind === 'document' && read === null) return { kind: 'unreachable', reason: UNPARSED.reason };
  const delayMs = (read?.crawlDelaySeconds ?? 0) * SECOND;
  return {
    kind: 'found',
    rules: {
      follow: { origin, robots: read?.text ?? null },
      intervalMs: Math.max(limits.intervalMs, Math.min(delayMs, limits.maxDelayMs)),
      sitemaps: read && read.sitemaps.length > 0 ? read.sitemaps : [`${origin}/sitemap.xml`],
      isStartAllowed: read?.isStartAllowed ?? true,
    },
  };
};
