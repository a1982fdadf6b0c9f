/** Reads a sitemap or a sitemap index (sitemaps.org), or a list of URLs, one a line. */

import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { normalizeUrl } from './links.ts';

export interface Sitemap {
  pages: string[];
  /** Further sitemaps. */
  sitemaps: string[];
}

/** The protocol's own limits are 50 000 URLs and 50 MB; a crawl takes far fewer. */
const MAX_URLS = 5_000;
const MAX_OCTETS = 10 * 1024 * 1024;

const isGzip = (octets: Uint8Array): boolean => octets[0] === 0x1f && octets[1] === 0x8b;

/** @throws where the sitemap is not gzip, or unpacks to more than {@link MAX_OCTETS} */
const unpack = (octets: Uint8Array): Buffer =>
  isGzip(octets) ? gunzipSync(octets, { maxOutputLength: MAX_OCTETS }) : Buffer.from(octets).subarray(0, MAX_OCTETS);

const readXml = (text: string): Sitemap => {
  const [pages, sitemaps] = [new Set<string>(), new Set<string>()];
  let into: Set<string> | null = null;
  let location: string | null = null;
  const parser = new Parser(
    {
      onopentag: (name) => {
        const local = name.replace(/^.*:/, '').toLowerCase();
        if (local === 'url') into = pages;
        else if (local === 'sitemap') into = sitemaps;
        else if (local === 'loc') location = '';
      },
      ontext: (part) => {
        if (location !== null && location.length < 4_096) location += part;
      },
      onclosetag: (name) => {
        if (!/(?:^|:)loc$/i.test(name) || location === null) return;
        const url = normalizeUrl(location.trim());
        if (url !== null && into !== null && into.size < MAX_URLS) into.add(url);
        location = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  return { pages: [...pages], sitemaps: [...sitemaps] };
};

const readLines = (text: string): Sitemap => {
  const urls = text.split('\n', MAX_URLS).flatMap((line) => normalizeUrl(line.trim()) ?? []);
  return { pages: [...new Set(urls)], sitemaps: [] };
};

export const readSitemap = (octets: Uint8Array): Sitemap => {
  const text = unpack(octets)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return text.trimStart().startsWith('<') ? readXml(text) : readLines(text);
};
