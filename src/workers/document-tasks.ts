/** Reads documents for the knowledge base in a worker thread: pages, PDF, sitemaps, robots.txt. */

import { toSlices } from '../contacts/slices.ts';
import { mayBeText } from '../documents/links.ts';
import type { Passage } from '../documents/passages/split-passages.ts';
import { type DocumentSource, type ReadDocument, readDocument, readText } from '../documents/read-document.ts';
import { readRobotsRules } from '../documents/robots-rules.ts';
import { readSitemap } from '../documents/sitemap.ts';
import { type PassageTerms, toPassageTerms } from '../store/search/passages/passage-search.ts';

/** Which links of a document a crawl follows. */
export interface LinkRules {
  /** Only links of this origin. */
  origin: string;
  /** Null: there is no robots.txt. */
  robots: string | null;
}

export interface ReadDocumentTask extends DocumentSource {
  kind: 'read-document';
  /** Null: no link is wanted. */
  follow: LinkRules | null;
  /** In front of each term of the index. */
  termPrefix: string;
}

export interface ReadTextTask {
  kind: 'read-text';
  text: string;
  title: string | null;
  termPrefix: string;
}

export interface ReadSitemapTask {
  kind: 'read-sitemap';
  octets: Uint8Array;
  follow: LinkRules;
}

export interface ReadRobotsTask {
  kind: 'read-robots';
  octets: Uint8Array;
  origin: string;
  /** The page that the crawl begins with. */
  start: string;
}

export type DocumentTask = ReadDocumentTask | ReadTextTask | ReadSitemapTask | ReadRobotsTask;

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

export interface DocumentResults {
  'read-document': PageReading;
  'read-text': PageReading;
  'read-sitemap': SitemapReading;
  'read-robots': RobotsReading;
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

/** A filter for the pages that a crawl may fetch. */
const createFilter = ({ origin, robots }: LinkRules): ((url: string) => boolean) => {
  const rules = readRobotsRules(robots, origin);
  return (url) => new URL(url).origin === origin && mayBeText(url) && rules.isAllowed(url);
};

const performRead = async ({ follow, termPrefix, ...source }: ReadDocumentTask): Promise<PageReading> => {
  const read = await readDocument(source);
  if (read.kind !== 'read') return read;
  const links = follow ? read.links.filter(createFilter(follow)) : [];
  return toPage({ ...read, links }, termPrefix);
};

const performSitemap = ({ octets, follow }: ReadSitemapTask): SitemapReading => {
  const { pages, sitemaps } = readSitemap(octets);
  return {
    pages: pages.filter(createFilter(follow)),
    sitemaps: sitemaps.filter((url) => new URL(url).origin === follow.origin),
  };
};

const performRobots = ({ octets, origin, start }: ReadRobotsTask): RobotsReading => {
  const text = Buffer.from(octets).toString('utf8', 0, MAX_ROBOTS);
  const { isAllowed, crawlDelaySeconds, sitemaps } = readRobotsRules(text, origin);
  return {
    text,
    isStartAllowed: isAllowed(start),
    crawlDelaySeconds,
    sitemaps: sitemaps.filter((url) => URL.canParse(url) && new URL(url).origin === origin),
  };
};

export const performDocumentTask = async (task: DocumentTask): Promise<DocumentResults[DocumentTask['kind']]> => {
  switch (task.kind) {
    case 'read-document':
      return performRead(task);
    case 'read-text':
      return toPage(readText(task.text, task.title), task.termPrefix);
    case 'read-sitemap':
      return performSitemap(task);
    case 'read-robots':
      return performRobots(task);
  }
};
