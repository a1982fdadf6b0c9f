/** Composes the brief, a summary of a knowledge base from titles, headings and first sentences alone. */

import { cutAtWord } from '../documents/passages/summary.ts';

export interface BriefPage {
  title: string | null;
  summary: string;
  headings: readonly string[];
}

export interface BriefSource {
  title: string | null;
  url: string | null;
  /** The number of pages; `pages` may have fewer. */
  count: number;
  pages: readonly BriefPage[];
}

/** Characters. */
const MAX_BRIEF = 2_000;
const MAX_LINE = 320;

const countOf = (count: number): string => (count === 1 ? '' : ` (${count} pages)`);

const headOf = ({ title, url, count, pages }: BriefSource): string => {
  const [first] = pages;
  const name = title ?? first?.title ?? url ?? 'Text';
  const summary = first?.summary ?? '';
  return cutAtWord(`${name}${countOf(count)}${summary === '' ? '' : `: ${summary}`}`, MAX_LINE);
};

const pageLine = ({ title, summary, headings }: BriefPage): string => {
  const told = summary === '' ? headings.filter((heading) => heading !== title).join('; ') : summary;
  const name = title ?? '';
  return cutAtWord(`- ${name}${name !== '' && told !== '' ? ': ' : ''}${told}`, MAX_LINE);
};

/** The headings of a page that its line leaves out. */
const outlineLine = ({ title, headings }: BriefPage): string | null => {
  const own = headings.filter((heading) => heading !== title);
  return own.length < 2 ? null : cutAtWord(`- ${own.join('; ')}`, MAX_LINE);
};

/**
 * A line for each source; then, source by source in turn, a line for each further page that fits.
 * @returns at most {@link MAX_BRIEF} characters; '' where nothing is indexed
 */
export const composeBrief = (sources: readonly BriefSource[]): string => {
  const told = sources.filter(({ pages }) => pages.length > 0);
  const kept: string[][] = [];
  let room = MAX_BRIEF;
  for (const source of told) {
    const line = headOf(source);
    if (line.length + 1 > room) break;
    kept.push([line]);
    room -= line.length + 1;
  }
  const deepest = Math.max(0, ...told.map(({ pages }) => pages.length));
  for (let at = 0; at < deepest; at += 1) {
    for (const [of, part] of kept.entries()) {
      const page = told[of]?.pages[at];
      // The source's own line shows its first page, except the headings.
      const line = page && (at === 0 ? outlineLine(page) : pageLine(page));
      if (!line || line.length < 4 || part.includes(line) || line.length + 1 > room) continue;
      part.push(line);
      room -= line.length + 1;
    }
  }
  return kept.flat().join('\n');
};
