/** Lines of text as they are laid out: blanks folded, blocks parted by one blank line at most. */

/** Blanks that a browser folds, and those that senders pad with. */
const BLANKS = /[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f]+/g;

export interface Lines {
  /** Text of the current line. */
  text(text: string): void;
  /** Text without line ends whose blanks stay. */
  asWritten(text: string): void;
  /** A blank, where the line has text and ends in none. */
  space(): void;
  /** Ends the line, if it has text; before what follows stand at least so many line ends. */
  breakLine(atLeast: 1 | 2): void;
  /** `<br>`: ends the line, or leaves a blank one. */
  lineBreak(): void;
  /** Ends the line, if it has text. @returns whether it has */
  end(): boolean;
}

/** @param emit takes each line; `blanks` the number of blank lines that part it from the one before */
export const createLines = (emit: (line: string, blanks: 0 | 1) => void): Lines => {
  // Pieces, joined once: asking a string that grows for its end takes the square of its length.
  let line: string[] = [];
  /** Whether a blank at the start of what comes next folds away. */
  let isAfterBlank = true;
  /** Whether the line has a blank that does not fold away: `<p>&nbsp;</p>` is a blank line. */
  let isHeldOpen = false;
  let isStarted = false;
  /** Line ends since the last line that was emitted. */
  let breaks = 1;

  /** @returns whether there was one */
  const endLine = (): boolean => {
    const text = line.join('').trimEnd();
    if (text === '' && isHeldOpen) breaks = 2;
    line = [];
    isAfterBlank = true;
    isHeldOpen = false;
    if (text === '') return false;
    emit(text, isStarted && breaks > 1 ? 1 : 0);
    isStarted = true;
    breaks = 1;
    return true;
  };

  return {
    text: (text) => {
      isHeldOpen ||= text.includes('\u00a0');
      const folded = text.replace(BLANKS, ' ');
      const piece = isAfterBlank && folded.startsWith(' ') ? folded.slice(1) : folded;
      if (piece === '') return;
      line.push(piece);
      isAfterBlank = piece.endsWith(' ');
    },
    asWritten: (text) => {
      if (text === '') return;
      line.push(text);
      isAfterBlank = text.endsWith(' ');
    },
    space: () => {
      if (isAfterBlank) return;
      line.push(' ');
      isAfterBlank = true;
    },
    breakLine: (atLeast) => {
      endLine();
      breaks = Math.max(breaks, atLeast);
    },
    lineBreak: () => {
      if (!endLine()) breaks = 2;
    },
    end: endLine,
  };
};
