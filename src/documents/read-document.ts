/** Reads a fetched document: HTML, plain text, Markdown or PDF, as Markdown with its title and its links. */

import { plainLine, plainText } from '../kernel/text/clean-text.ts';
import { decodeDocument } from './charset.ts';
import { parseHtml } from './html/html-tree.ts';
import { findMainContent } from './html/main-content.ts';
import { type PageHead, readPageHead } from './html/page-head.ts';
import { toMarkdown } from './html/to-markdown.ts';
import { resolveLink } from './links.ts';
import { MAX_PASSAGES, type Passage, splitPassages } from './passages/split-passages.ts';
import { firstSentence, readHeadings } from './passages/summary.ts';
import { readPdf } from './pdf.ts';

export interface DocumentSource {
  octets: Uint8Array;
  /** The media type in lower case, and its charset; '' and null where the server stated none. */
  mediaType: string;
  charset: string | null;
  url: string;
}

export interface ReadDocument {
  kind: 'read';
  title: string | null;
  summary: string;
  headings: string[];
  /** Markdown. */
  text: string;
  /** Whether there is more than is read, or than search finds. */
  isCut: boolean;
  passages: Passage[];
  links: string[];
  /** Whether it asks not to be indexed; its text and links are read all the same. */
  isUnindexed: boolean;
}

export type DocumentReading =
  | ReadDocument
  /** It has no text in a supported form. */
  | { kind: 'unreadable'; reason: string };

/** Characters of Markdown kept for a document. */
export const MAX_TEXT = 500_000;
const MAX_TITLE = 200;

type Content = PageHead & { text: string; isCut?: boolean };

const readHtml = (html: string, url: URL): Content => {
  const root = parseHtml(html);
  const text = toMarkdown(findMainContent(root), (href) => resolveLink(href, url));
  return { ...readPageHead(root, url), text };
};

const plainContent = (text: string, title: string | null = null): Content => ({
  title,
  description: null,
  text,
  links: [],
  isUnindexed: false,
});

/** The target of a Markdown link: an llms.txt is a list of them. */
const TARGET = /\]\(\s?<?([^\s()<>]{1,2000})/g;
const MAX_LINKS = 2_000;
const readLinks = (text: string, url: URL): string[] => [
  ...new Set([...text.matchAll(TARGET).take(MAX_LINKS)].flatMap(([, target = '']) => resolveLink(target, url) ?? [])),
];

export const isHtml = (mediaType: string): boolean =>
  mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
export const looksLikeHtml = (text: string): boolean =>
  /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text);
export const startsPdf = (octets: Uint8Array): boolean =>
  Buffer.from(octets.subarray(0, 5)).toString('latin1') === '%PDF-';
/** Share of control octets from which the content counts as binary, whatever its media type. */
const BINARY_SHARE = 0.1;
const isControl = (octet: number): boolean => octet < 9 || (octet > 13 && octet < 32 && octet !== 27);
export const isBinary = (octets: Uint8Array): boolean => {
  const head = octets.subarray(0, 1024);
  const hasMark = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return !hasMark && head.filter(isControl).length > head.length * BINARY_SHARE;
};

const readContent = async ({ octets, mediaType, charset, url }: DocumentSource): Promise<Content | null> => {
  if (mediaType === 'application/pdf' || startsPdf(octets)) {
    const { title, text, isCut } = await readPdf(octets);
    return { ...plainContent(text, title), isCut };
  }
  // Stores of files name so what they do not know, Markdown among it.
  const isUnknown = mediaType === '' || mediaType.endsWith('/octet-stream');
  const isText = isUnknown || mediaType.startsWith('text/') || isHtml(mediaType);
  if (!isText || isBinary(octets)) return null;
  const text = decodeDocument(octets, charset);
  const base = new URL(url);
  const mayBeHtml = isHtml(mediaType) || isUnknown || mediaType === 'text/plain';
  if (isHtml(mediaType) || (mayBeHtml && looksLikeHtml(text))) return readHtml(text, base);
  return { ...plainContent(text), links: readLinks(text, base) };
};

export const cutText = (text: string): string => {
  if (text.length <= MAX_TEXT) return text;
  const at = text.lastIndexOf('\n', MAX_TEXT);
  return text.slice(0, at > MAX_TEXT / 2 ? at : MAX_TEXT).toWellFormed();
};

const firstLine = (text: string): string | null => {
  const line = /^\s*#{0,6}\s*(\S[^\n]*)/.exec(text)?.[1];
  return line === undefined ? null : line.replace(/[*_`#]+/g, '').trim();
};

const toTitle = (title: string | null): string | null =>
  (title && plainLine(title).slice(0, MAX_TITLE).trim().toWellFormed()) || null;

/** @param given null: the document's own title, else its first heading, else its first line */
export const readText = (text: string, given: string | null): ReadDocument => {
  const content = { ...plainContent(text, given) };
  return toReading(content);
};

const toReading = (content: Content): ReadDocument => {
  // References of HTML may stand for any character.
  const whole = plainText(content.text).trim();
  const text = cutText(whole);
  const headings = readHeadings(text);
  const passages = splitPassages(text);
  return {
    kind: 'read',
    title: toTitle(content.title) ?? toTitle(headings[0] ?? firstLine(text)),
    summary:
      firstSentence(text) ||
      plainLine(content.description ?? '')
        .slice(0, 240)
        .toWellFormed(),
    headings,
    text,
    isCut: content.isCut === true || text.length < whole.length || passages.length === MAX_PASSAGES,
    passages,
    links: content.links,
    isUnindexed: content.isUnindexed,
  };
};

/** @throws where a PDF is damaged */
export const readDocument = async (source: DocumentSource): Promise<DocumentReading> => {
  const content = await readContent(source);
  if (content === null) return { kind: 'unreadable', reason: `no text: ${source.mediaType || 'of no stated type'}` };
  return toReading(content);
};
