/** Splits Markdown into passages, by its headings and by length, each with the path of headings above it. */

import { plainLine } from '../../kernel/text/clean-text.ts';

export interface Passage {
  /** The headings above it, from the outermost; '' where there is none. */
  heading: string;
  text: string;
  /** Whether it begins its document. */
  isLead: boolean;
}

/** Characters after which a passage ends with its paragraph. */
const CLOSED_AT = 900;
/** Characters of the longest passage. */
const MOST = 1_400;
/** A shorter passage joins its neighbour under the same heading. */
const LEAST = 200;
const MAX_HEADING = 200;
/** Passages of one document; search does not find later text. */
export const MAX_PASSAGES = 800;

const ATX = /^ {0,3}(#{1,6})[\t ]/;
const FENCE = /^ {0,3}(```|~~~)/;
const SETEXT = /^ {0,3}(=+|-{2,})[\t ]*$/;

interface Section {
  heading: string;
  paragraphs: string[];
}

/** Characters of a heading that are parsed, because each may begin a link. */
const LOOKED_AT = 2 * MAX_HEADING;

/** The text of a heading without the marks of Markdown. */
export const headingText = (text: string): string =>
  plainLine(text.slice(0, LOOKED_AT))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]+/g, '')
    .trim()
    .slice(0, MAX_HEADING)
    .toWellFormed();

/** CommonMark section 4.2: hashes may close a heading. A pattern would try each blank of a long run. */
const withoutClosing = (text: string): string => {
  let end = text.length;
  while (end > 0 && '\t #'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};

class Outline {
  readonly #path: { level: number; text: string }[] = [];

  enter(level: number, text: string): void {
    while ((this.#path.at(-1)?.level ?? 0) >= level) this.#path.pop();
    if (text !== '') this.#path.push({ level, text });
  }

  get path(): string {
    return this.#path.map(({ text }) => text).join(' > ');
  }
}

/** Sections in order; headings in code blocks do not count. */
export const readSections = (markdown: string): Section[] => {
  const outline = new Outline();
  const sections: Section[] = [{ heading: '', paragraphs: [] }];
  let lines: string[] = [];
  let fence: string | null = null;
  const closeParagraph = (): void => {
    const text = lines.join('\n').trimEnd();
    if (text.trim() !== '') sections.at(-1)?.paragraphs.push(text);
    lines = [];
  };
  const enter = (level: number, text: string): void => {
    closeParagraph();
    outline.enter(level, headingText(text));
    sections.push({ heading: outline.path, paragraphs: [] });
  };
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) {
      lines.push(line);
      if (mark === fence) fence = null;
      continue;
    }
    const atx = ATX.exec(line);
    const setext = lines.length === 1 ? SETEXT.exec(line)?.[1] : undefined;
    if (mark !== null) {
      fence = mark;
      lines.push(line);
    } else if (atx) enter(atx[1]?.length ?? 1, withoutClosing(line.slice(atx[0].length)).trimStart());
    else if (setext !== undefined) {
      const [text = ''] = lines.splice(0);
      enter(setext.startsWith('=') ? 1 : 2, text);
    } else if (line.trim() === '') closeParagraph();
    else lines.push(line);
  }
  closeParagraph();
  return sections.filter(({ heading, paragraphs }, at) => paragraphs.length > 0 || (at > 0 && heading !== ''));
};

const isSentenceEnd = (text: string, at: number): boolean =>
  /[.!?。！？]/.test(text.charAt(at - 1)) || (/["')\]]/.test(text.charAt(at - 1)) && /[.!?]/.test(text.charAt(at - 2)));

/** The last fitting place below the bound; -1 where the last two thirds have none. */
const lastPlace = (fits: (at: number) => boolean): number => {
  for (let at = MOST; at > MOST / 3; at -= 1) if (fits(at)) return at;
  return -1;
};

/** Cuts at the end of a sentence, else of a line, else of a word, else at the bound. */
const cutAt = (text: string): number => {
  const isBlank = (at: number): boolean => /\s/.test(text.charAt(at));
  const places = [
    (at: number) => isBlank(at) && isSentenceEnd(text, at),
    (at: number) => text.charAt(at) === '\n',
    isBlank,
  ];
  for (const fits of places) {
    const at = lastPlace(fits);
    if (at >= 0) return at;
  }
  const code = text.charCodeAt(MOST - 1);
  return code >= 0xd800 && code < 0xdc00 ? MOST - 1 : MOST;
};

const cutLong = (paragraph: string): string[] => {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > MOST) {
    const at = cutAt(rest);
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
};

const joinParagraphs = (paragraphs: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const piece of paragraphs.flatMap(cutLong)) {
    const last = joined.at(-1);
    const isJoined = last !== undefined && last.length + piece.length + 2 <= MOST;
    if (isJoined && (last.length < CLOSED_AT || piece.length < LEAST))
      joined[joined.length - 1] = `${last}\n\n${piece}`;
    else joined.push(piece);
  }
  return joined;
};

export const splitPassages = (markdown: string): Passage[] => {
  const passages: Passage[] = [];
  for (const { heading, paragraphs } of readSections(markdown)) {
    for (const text of joinParagraphs(paragraphs)) {
      if (passages.length >= MAX_PASSAGES) return passages;
      passages.push({ heading, text, isLead: passages.length === 0 });
    }
  }
  return passages;
};
