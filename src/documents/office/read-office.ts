/** Extracts the text of Office documents: DOCX, XLSX and PPTX, recognised by their parts. */

import { openPackage, type PackageParts, readRelations, walkXml } from './package-parts.ts';
import { readParagraphs } from './paragraphs.ts';
import { isWorkbook, readWorkbook } from './workbook.ts';

const PRESENTATION = 'ppt/presentation.xml';
/** Slides that are parsed. */
const MAX_SLIDES = 1_000;
const DOCUMENT = /^word\/document\d*\.xml$/;
/** The words of a SmartArt graphic. */
const DIAGRAM = /\/diagrams\/data\d*\.xml$/;
/** Text outside of the body, in the order of output. */
const BESIDE = [
  ['Header', /^word\/header\d*\.xml$/],
  ['Footer', /^word\/footer\d*\.xml$/],
  ['Footnotes', /^word\/footnotes\.xml$/],
  ['Endnotes', /^word\/endnotes\.xml$/],
  ['Comments', /^word\/comments\.xml$/],
  ['Diagrams', DIAGRAM],
] as const;

const readPart = (parts: PackageParts, name: string): string =>
  readParagraphs(parts.read(name) ?? '', readRelations(parts, name, true));

const readWords = (parts: PackageParts, document: string): string => {
  const beside = BESIDE.flatMap(([title, form]) => {
    const texts = parts.names.filter((name) => form.test(name)).map((name) => readPart(parts, name));
    // The kinds of pages mostly share one header.
    return [...new Set(texts)].filter((text) => text !== '').map((text) => `# ${title}\n${text}`);
  });
  return [readPart(parts, document), ...beside].join('\n\n');
};

/** @returns at least `most` characters, where there are as many; a slide may be referred to repeatedly */
const readSlides = (parts: PackageParts, most: number): string => {
  const relations = readRelations(parts, PRESENTATION);
  const slides: string[] = [];
  walkXml(parts.read(PRESENTATION) ?? '', {
    open: (name, attributes) => {
      const slide = name === 'sldId' && relations.get(attributes['r:id'] ?? '');
      if (slide) slides.push(slide);
    },
  });
  const texts: string[] = [];
  let length = 0;
  for (const [at, slide] of slides.entries()) {
    if (length >= most || at >= MAX_SLIDES) break;
    const related = [...new Set(readRelations(parts, slide).values())];
    const notes = related.find((name) => /notesSlides\//.test(name));
    const spoken = notes === undefined ? '' : readPart(parts, notes);
    const shown = [slide, ...related.filter((name) => DIAGRAM.test(name))].map((name) => readPart(parts, name));
    const text = `# Slide ${at + 1}\n${shown.join('\n')}${spoken === '' ? '' : `\n\nNotes: ${spoken}`}`;
    texts.push(text);
    length += text.length;
  }
  return texts.join('\n\n');
};

/**
 * @param most the least number of characters to read, where there are as many
 * @returns null for another kind of ZIP
 * @throws where it is damaged
 */
export const readOffice = (octets: Uint8Array, most: number): string | null => {
  const parts = openPackage(octets);
  const document = parts.names.find((name) => DOCUMENT.test(name));
  if (document !== undefined) return readWords(parts, document);
  if (isWorkbook(parts)) return readWorkbook(parts, most);
  return parts.names.includes(PRESENTATION) ? readSlides(parts, most) : null;
};
