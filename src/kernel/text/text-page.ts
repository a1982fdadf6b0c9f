/** A long text in pages: whole code points, never half of a surrogate pair. */

export interface TextPage {
  text: string;
  /** Characters of the whole text. */
  text_chars: number;
  /** Where the next page begins; null on the last. */
  next_offset: number | null;
}

/** @param maxChars left out: all that follows */
export const pageOfText = (whole: string, offset: number, maxChars: number | undefined): TextPage => {
  const splitsPair = (at: number) => at > 0 && at < whole.length && /[\ud800-\udbff]/.test(whole.charAt(at - 1));
  const start = Math.min(splitsPair(offset) ? offset + 1 : offset, whole.length);
  const wantedEnd = maxChars === undefined ? whole.length : Math.min(start + maxChars, whole.length);
  const end = splitsPair(wantedEnd) ? wantedEnd + 1 : wantedEnd;
  return { text: whole.slice(start, end), text_chars: whole.length, next_offset: end < whole.length ? end : null };
};
