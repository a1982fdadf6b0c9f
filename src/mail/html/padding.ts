/** Characters that no reader sees, with which senders fill the preview line: joiners, soft hyphens, blanks of no width. */

/** Never more than padding in mail; taken out wherever they stand. */
const FILLERS =
  /(?:\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff\uffa0])+/g;
/** Zero-width joiners and marks of direction. */
const JOINERS = /([\u200c-\u200f])[\u200c-\u200f]+/g;
/** Joiners shape letters and emoji: one beside a blank or an end of the line shapes nothing. */
const IDLE_JOINER = /(?<=^|\s)[\u200c-\u200f]|[\u200c-\u200f](?=$|\s)/gm;
const SOME =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u206f\u2800\u3164\ufeff\uffa0]|\u034f|[\u17b4]|[\u17b5]/;
const BLANKS = /[ \t\u00a0\u2007]{2,}/g;

const withoutFillers = (text: string): string =>
  text.replace(FILLERS, '').replace(JOINERS, '$1').replace(IDLE_JOINER, '');

/** Whether nothing of a text is to be seen. */
export const isPadding = (text: string): boolean => withoutFillers(text).trim() === '';

/** The text of a page without padding; lines of it go whole. Other lines stay as they are. */
export const dropPadding = (text: string): string => {
  if (!SOME.test(text)) return text;
  const lines = text.split('\n').flatMap((line) => {
    if (!SOME.test(line)) return [line];
    const kept = withoutFillers(line);
    if (kept === line) return [line];
    const folded = kept.replace(BLANKS, ' ').trim();
    return folded === '' ? [] : [folded];
  });
  return lines.join('\n');
};

/** Fillers of one line, and how many different ones: padding is one or two, dozens of times. */
const MIN_FILLERS = 8;
const MAX_DIFFERENT = 4;

const isPaddingLine = (line: string): boolean => {
  if (!SOME.test(line) || !isPadding(line)) return false;
  const fillers = line.replace(/\s+/g, '');
  return fillers.length >= MIN_FILLERS && new Set(fillers).size <= MAX_DIFFERENT;
};

/** Text as a person wrote it, without the lines that are padding and nothing else. */
export const dropPaddingLines = (text: string): string =>
  SOME.test(text)
    ? text
        .split('\n')
        .filter((line) => !isPaddingLine(line))
        .join('\n')
    : text;
