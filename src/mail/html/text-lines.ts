/** Assembles lines of laid-out text: folds blanks, separates blocks by at most one blank line. */

/** Blanks that a browser folds, and those that senders use as padding. */
const BLANKS = /[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f]+/g;

export interface Lines {
  /** Appends text to the current line, blanks folded. */
  text(text: string): void;
  /** Appends text without line ends, blanks preserved. */
  asWritten(text: string): void;
  /** Appends a blank unless the line is empty or ends in one. */
  space(): void;
  /** Ends the line, if it has text; at least `atLeast` line ends precede the next text. */
  breakLine(atLeast: 1 | 2): void;
  /** `<br>`: ends the line, or leaves a blank line. */
  lineBreak(): void;
  /** Ends the line. @returns whether it had text */
  end(): boolean;
}

/** @param emit receives each line; `blanks` is the number of blank lines before it */
export const createLines = (emit: (line: string, blanks: 0 | 1) => void): Lines => {
  // Pieces are joined once: inspecting the end of a growing string costs the square of its length.
  let line: string[] = [];
  /** Whether a leading blank of the next text is dropped. */
  let isAfterBlank = true;
  /** Whether the line has a non-breaking blank: `<p>&nbsp;</p>` is a blank line. */
  let isHeldOpen = false;
  let isStarted = false;
  /** Line ends since the last emitted line. */
  let breaks = 1;

  /** @returns whether the line had text */
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
