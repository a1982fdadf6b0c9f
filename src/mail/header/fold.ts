/** Folds generated header fields (RFC 5322 section 2.2.3). */

/** RFC 5322 section 2.1.1: the recommended maximum of characters per line, CRLF excluded. */
const WIDTH = 78;
const CONTROLS = /\p{Cc}+/gu;
/** A longer word is cut, as Postfix does: hosts refuse a line of more than 998 octets. */
const WORDS = /[^ ]{1,900}/gu;

/**
 * Folds one field at its spaces; a word longer than a line gets a line of its own, one over 900 characters several.
 * @param written `Name: value`; control characters, line ends included, become spaces
 * @returns the field with its CRLF
 */
export const foldField = (written: string): string => {
  const field = written.replace(CONTROLS, ' ');
  if (field.length <= WIDTH) return `${field}\r\n`;
  const lines: string[] = [];
  let line = '';
  for (const [word] of field.matchAll(WORDS)) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= WIDTH) line += ` ${word}`;
    // The field name always shares its line with a word: some parsers take a lone name for an empty field.
    else if (lines.length === 0 && line.endsWith(':')) line += ` ${word}`;
    else {
      lines.push(line);
      line = ` ${word}`;
    }
  }
  return `${[...lines, line].join('\r\n')}\r\n`;
};
