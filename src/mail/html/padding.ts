/** Removes invisible characters with which senders pad the preview line: joiners, soft hyphens, zero-width blanks. */

/** Without a function in mail; removed everywhere. */
const FILLERS =
  /(?:\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff\uffa0])+/g;
/** Repeated zero-width joiners and bidirectional marks. */
const JOINERS = /([\u200c-\u200f])[\u200c-\u200f]+/g;
/** Joiners shape letters and emoji; beside a blank or a line end one has no effect. */
const IDLE_JOINER = /(?<=^|\s)[\u200c-\u200f]|[\u200c-\u200f](?=$|\s)/gm;
const SOME =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u206f\u2800\u3164\ufeff\uffa0]|\u034f|[\u17b4]|[\u17b5]/;
const BLANKS = /[ \t\u00a0\u2007]{2,}/g;

const withoutFillers = (text: string): string =>
  text.replace(FILLERS, '').replace(JOINERS, '$1').replace(IDLE_JOINER, '');

/** Whether a text has no visible character. */
export const isPadding = (text: string): boolean => withoutFillers(text).trim() === '';

/** Removes padding from the text of a page, and lines that consist of it. Other lines stay unchanged. */
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

/** Minimum fillers of a padding line, and maximum distinct ones: padding repeats one or two dozens of times. */
const MIN_FILLERS = 8;
const MAX_DIFFERENT = 4;

const isPaddingLine = (line: string): boolean => {
  if (!SOME.test(line) || !isPadding(line)) return false;
  const fillers = line.replace(/\s+/g, '');
  return fillers.length >= MIN_FILLERS && new Set(fillers).size <= MAX_DIFFERENT;
};

/** Removes lines that consist of padding from plain text; all others stay unchanged. */
export const dropPaddingLines = (text: string): string =>
  SOME.test(text)
    ? text
        .split('\n')
        .filter((line) => !isPaddingLine(line))
        .join('\n')
    : text;
