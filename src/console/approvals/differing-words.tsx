/** A text with those words marked that another version of it lacks. */

import { diffWords } from 'diff';

/** Of two long texts that have little in common, nothing is marked. */
const TIMEOUT_MS = 300;

export const DifferingWords = ({ text, other }: { text: string; other: string }) => {
  const parts = diffWords(other.trim(), text.trim(), { timeout: TIMEOUT_MS });
  return (
    <p class="written">
      {parts
        ? parts.map(({ value, added, removed }, at) =>
            removed ? null : added && value.trim() !== '' ? <mark key={at}>{value}</mark> : value,
          )
        : text.trim()}
    </p>
  );
};
