import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { plainText } from '../kernel/text/clean-text.ts';

export interface PdfText {
  title: string | null;
  /** Empty lines separate pages. */
  text: string;
}

/** Pages that are read; later ones are left out. */
const MAX_PAGES = 400;
/** VerbosityLevel.ERRORS of pdf.js. */
const ERRORS_ONLY = 0;

/** A line break within a paragraph becomes a blank, unless it splits a word. */
const joinLines = (page: string): string =>
  plainText(page)
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .replace(/([^\n.:!?])\n(?=[^\n])/g, '$1 ')
    .trim();

/** @throws where it is damaged or encrypted */
export const readPdf = async (octets: Uint8Array): Promise<PdfText> => {
  // The library detaches the octets; by default it prints warnings about the file.
  const pdf = await getDocumentProxy(new Uint8Array(octets), { verbosity: ERRORS_ONLY });
  if (pdf.numPages > MAX_PAGES) throw new Error(`The PDF has more than ${MAX_PAGES} pages`);
  const { info } = await getMeta(pdf);
  const { text } = await extractText(pdf, { mergePages: false });
  const title = typeof info.Title === 'string' ? plainText(info.Title).replace(/\s+/g, ' ').trim() : '';
  return {
    title: title || null,
    text: text
      .map(joinLines)
      .filter((page) => page !== '')
      .join('\n\n'),
  };
};
