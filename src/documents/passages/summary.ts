/** Summarises a document by its first sentence and its headings. */

import { headingText, readSections } from './split-passages.ts';

/** Characters. */
const MAX_SENTENCE = 240;
const MAX_HEADINGS = 12;
const MAX_OUTLINE = 400;

/** Text without the marks of Markdown, on one line. */
const plainLine = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[>\s]*(?:[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const isProse = (paragraph: string): boolean => !/^(?:```|~~~|\|)/.test(paragraph) && /\p{L}{2}/u.test(paragraph);

/** Ends a text that is too long with `…`, behind a word where one ends in its second half. */
export const cutAtWord = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const at = text.lastIndexOf(' ', most - 1);
  return `${text.slice(0, at > most / 2 ? at : most - 1).toWellFormed()}…`;
};

/** '' where the document has no prose. */
export const firstSentence = (markdown: string): string => {
  const paragraph = readSections(markdown.slice(0, 20_000))
    .flatMap(({ paragraphs }) => paragraphs)
    .find(isProse);
  if (paragraph === undefined) return '';
  const line = plainLine(paragraph.slice(0, 2_000));
  const end = /^.{20,}?[.!?。！？]["')\]]?(?=\s|$)/u.exec(line)?.[0] ?? line;
  return cutAtWord(end, MAX_SENTENCE);
};

/** The headings of a document without those above them, each once. */
export const readHeadings = (markdown: string): string[] => {
  const headings = new Set<string>();
  let length = 0;
  for (const { heading } of readSections(markdown)) {
    const own = headingText(heading.split(' > ').at(-1) ?? '');
    if (own === '' || headings.has(own)) continue;
    length += own.length;
    if (headings.size >= MAX_HEADINGS || length > MAX_OUTLINE) break;
    headings.add(own);
  }
  return [...headings];
};
