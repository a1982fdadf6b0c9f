import { fileURLToPath } from 'node:url';
import { getDocumentProxy, getMeta } from 'unpdf';
import { plainText } from '../kernel/text/clean-text.ts';

export interface PdfText {
  title: string | null;
  /** Empty lines separate pages. */
  text: string;
  /** Whether there are more pages than are read. */
  isCut: boolean;
}

/** Pages that are read; later ones are left out. */
const MAX_PAGES = 400;
/** VerbosityLevel.ERRORS of pdf.js. */
const ERRORS_ONLY = 0;

/** Character maps of Chinese, Japanese and Korean fonts that a PDF does not embed; a path, since Node reads no URL of text. */
const CHARACTER_MAPS = fileURLToPath(new URL('cmaps/', import.meta.resolve('pdfjs-dist/package.json')));

/** Lines stay, since rows of an invoice are lines; a word that two of them share is joined. */
const joinWords = (page: string): string =>
  plainText(page)
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .trim();

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;
type Content = Awaited<ReturnType<Page['getTextContent']>>['items'][number];

/** A blank that is wider than the letters are high stands between columns. */
const toText = (item: Content): string => {
  if (!('str' in item)) return '';
  const [, , c = 0, d = 0] = item.transform as number[];
  const isGap = item.str === ' ' && item.width > Math.hypot(c, d);
  return (isGap ? '\t' : item.str) + (item.hasEOL ? '\n' : '');
};

/** A form field, a text typed onto the page or a comment (ISO 32000-1 section 12.5.6). The page's own text has none of them. */
interface Annotation {
  subtype: string;
  /** Hidden (2) and NoView (32) among them. */
  annotationFlags: number;
  fieldName?: string;
  /** Shown to persons in place of the name. */
  alternativeText?: string;
  fieldValue?: string | readonly string[] | null;
  contentsObj?: { str: string };
}

const UNSEEN_FLAGS = 2 | 32;
const MAX_ANNOTATIONS = 1_000;
/** Characters of one value that are read. */
const MAX_VALUE = 5_000;
/** After this many characters of annotations no more of them are read: many fields may share one large value. */
const MAX_ANNOTATED = 100_000;

const toLine = (annotation: Annotation): string => {
  const { subtype, annotationFlags, fieldName = '', alternativeText, fieldValue, contentsObj } = annotation;
  if ((annotationFlags & UNSEEN_FLAGS) !== 0 || subtype === 'Link' || subtype === 'Popup') return '';
  const [label, text] =
    subtype === 'Widget'
      ? [alternativeText || fieldName, [fieldValue ?? ''].flat().join(', ')]
      : [subtype === 'FreeText' ? '' : 'Comment', contentsObj?.str ?? ''];
  // A box that is not ticked has this value.
  if (text.trim() === '' || text === 'Off') return '';
  return `${label === '' ? '' : `${label}: `}${text.slice(0, MAX_VALUE)}`;
};

/** @throws where it is damaged or encrypted */
export const readPdf = async (octets: Uint8Array): Promise<PdfText> => {
  // The library detaches the octets; by default it prints warnings about the file.
  const pdf = await getDocumentProxy(new Uint8Array(octets), { verbosity: ERRORS_ONLY, cMapUrl: CHARACTER_MAPS });
  const { info } = await getMeta(pdf);
  const pages: string[] = [];
  let annotated = 0;
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES); number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const annotations: Annotation[] = annotated < MAX_ANNOTATED ? await page.getAnnotations() : [];
    // The buttons of one choice have one value.
    const lines = new Set(annotations.slice(0, MAX_ANNOTATIONS).map(toLine));
    const beside = [...lines].filter((line) => line !== '').join('\n');
    annotated += beside.length;
    pages.push(`${items.map(toText).join('')}\n${beside}`);
  }
  const title = typeof info.Title === 'string' ? plainText(info.Title).replace(/\s+/g, ' ').trim() : '';
  return {
    title: title || null,
    text: pages
      .map(joinWords)
      .filter((page) => page !== '')
      .join('\n\n'),
    isCut: pdf.numPages > MAX_PAGES,
  };
};
