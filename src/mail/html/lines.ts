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
  /** Ends the line, if it has text. */
  end(): void;
}

/** @param emit takes each line; `blanks` the number of blank lines that part it from the one before */
export const createLines = (emit: (line: string, blanks: 0 | 1) => void): Lines => {
  let line = '';
  let isStarted = false;
  /** Line ends since the last line that was emitted. */
  let breaks = 1;

  /** Whether the line has a blank that does not fold away: `<p>&nbsp;</p>` is a blank line. */
  let isHeldOpen = false;

  const endLine = (): void => {
    const text = line.trimEnd();
    line = '';
    if (text === '' && isHeldOpen) breaks = 2;
    isHeldOpen = false;
    if (text === '') return;
    emit(text, isStarted && breaks > 1 ? 1 : 0);
    isStarted = true;
    breaks = 1;
  };
  const lineBreak = (): void => {
    if (line.trim() === '') breaks = 2;
    else endLine();
  };

  return {
    text: (text) => {
      isHeldOpen ||= text.includes('\u00a0');
      const folded = text.replace(BLANKS, ' ');
      if (line === '' || line.endsWith(' ')) line += folded.startsWith(' ') ? folded.slice(1) : folded;
      else line += folded;
    },
    asWritten: (text) => {
      line += text;
    },
    space: () => {
      if (line !== '' && !line.endsWith(' ')) line += ' ';
    },
    breakLine: (atLeast) => {
      endLine();
      breaks = Math.max(breaks, atLeast);
    },
    lineBreak,
    end: endLine,
  };
};
