/** Records the commands and replies of an SMTP session, without the message. */

/** Every attempt stores a transcript. The last lines are the most useful, so the first are dropped. */
const MAX_TRANSCRIPT = 8 * 1024;
const MAX_LINE = 512;
/** Lines of one reply: an EHLO reply has a dozen. */
const MAX_REPLY_LINES = 32;

const bounded = (lines: readonly string[]): string => {
  let start = lines.length;
  let size = 0;
  while (start > 0) {
    size += (lines[start - 1]?.length ?? 0) + 1;
    if (size > MAX_TRANSCRIPT) return ['(earlier lines left out)', ...lines.slice(start)].join('\n');
    start--;
  }
  return lines.join('\n');
};

export interface Transcript {
  /** `C` the client, `S` the server, `*` a note. */
  add(side: 'C' | 'S' | '*', text: string): void;
  /** Lines `C: `, `S: ` and `*: `; at most 8 KB. */
  text(): string;
}

export const createTranscript = (): Transcript => {
  const lines: string[] = [];
  return {
    add: (side, text) => {
      for (const line of text.trim().split('\n').slice(0, MAX_REPLY_LINES))
        lines.push(`${side}: ${line.slice(0, MAX_LINE)}`);
    },
    text: () => bounded(lines),
  };
};
