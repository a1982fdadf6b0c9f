/** Reads documents for the knowledge base in a worker thread: pages, PDF, sitemaps, robots.txt. */

import { toSlices } from '../contacts/slices.ts';
import { mayBeText, onSite } from '../documents/links.ts';
import type { Passage } from '../documents/passages/split-passages.ts';
import { type DocumentSource, type ReadDocument, readDocument, readText } from '../documents/read-document.ts';
import { readRobotsRules } from '../documents/robots-rules.ts';
import { readSitemap } from '../documents/sitemap.ts';
import { type PassageTerms, toPassageTerms } from '../store/search/passages/passage-search.ts';
import type { Performing } from './performing.ts';

/** Which links of a document a crawl follows. */
export interface LinkRules {
  /** Only links of this origin. */
  origin: string;
  /** Null: there is no robots.txt. */
  robots: string | null;
}

/** A passage with its terms as the full-text index takes them. */
export interface IndexedPassage extends Passage {
  terms: PassageTerms;
}

export interface ReadPage extends Omit<ReadDocument, 'passages'> {
  /** Slices of {@link IndexedPassage}s. */
  passages: Uint8Array<ArrayBuffer>;
}

export type PageReading = ReadPage | { kind: 'unreadable'; reason: string };

export interface RobotsReading {
  /** The text, from which later tasks parse the rules again. */
  text: string;
  isStartAllowed: boolean;
  crawlDelaySeconds: number | null;
  sitemaps: string[];
}

export interface SitemapReading {
  pages: string[];
  sitemaps: string[];
}

/** `termPrefix`: in front of each term of the index. `follow`: null where no link is wanted. */
export interface DocumentWork {
  'read-document'(page: DocumentSource & { follow: LinkRules | null; termPrefix: string }): PageReading;
  'read-text'(page: { text: string; title: string | null; termPrefix: string }): PageReading;
  'read-sitemap'(file: { octets: Uint8Array; follow: LinkRules }): SitemapReading;
  /** @param file.start the page that the crawl begins with */
  'read-robots'(file: { octets: Uint8Array; origin: string; start: string }): RobotsReading;
}

/** Passages that one transaction stores, with some milliseconds of the full-text index. */
const PASSAGES_AT_ONCE = 16;
/** RFC 9309 section 2.5 asks for 500 KiB at least; it is sent along with every page of the crawl. */
const MAX_ROBOTS = 512 * 1024;

const toIndexed = ({ title, passages }: ReadDocument, prefix: string): IndexedPassage[] =>
  passages.map((passage) => ({ ...passage, terms: toPassageTerms(passage, title, prefix) }));

const toPage = (read: ReadDocument, prefix: string): ReadPage => ({
  ...read,
  passages: toSlices(toIndexed(read, prefix), PASSAGES_AT_ONCE),
});

/** Of the URLs, those on the site. */
const ofSite = (urls: readonly string[], origin: string): string[] => [
  ...new Set(urls.flatMap((url) => onSite(url, origin) ?? [])),
];

/** Of the URLs, the pages that a crawl may fetch. */
const toFollow = (urls: readonly string[], { origin, robots }: LinkRules): string[] => {
  const rules = readRobotsRules(robots, origin);
  return ofSite(urls, origin).filter((url) => mayBeText(url) && rules.isAllowed(url));
};

export const documentWork: Performing<DocumentWork> = {
  'read-document': async ({ follow, termPrefix, ...source }) => {
    const read = await readDocument(source);
    if (read.kind !== 'read') return read;
    const links = follow ? toFollow(read.links, follow) : [];
    return toPage({ ...read, links }, termPrefix);
  },
  'read-text': ({ text, title, termPrefix }) => toPage(readText(text, title), termPrefix),
  'read-sitemap': ({ octets, follow }) => {
    const { pages, sitemaps } = readSitemap(octets);
    return { pages: toFollow(pages, follow), sitemaps: ofSite(sitemaps, follow.origin) };
  },
  'read-robots': ({ octets, origin, start }) => {
    const text = Buffer.from(octets).toString('utf8', 0, MAX_ROBOTS);
    const { isAllowed, crawlDelaySeconds, sitemaps } = readRobotsRules(text, origin);
    return {
      text,
      isStartAllowed: isAllowed(start),
      crawlDelaySeconds,
      sitemaps: ofSite(
        sitemaps.flatMap((url) => URL.parse(url, origin)?.href ?? []),
        origin,
      ),
    };
  },
};
