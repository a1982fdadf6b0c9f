/** The words in which two versions of a text differ. */

import { diffWords } from 'diff';

/** Beyond it nothing is marked: long texts with little in common take too long. */
const TIMEOUT_MS = 300;

/** A text with marks on words that the other version lacks. */
export const DifferingWords = ({ text, other }: { text: string; other: string }) => {
  const parts = diffWords(other.trim(), text.trim(), { timeout: TIMEOUT_MS });
  return (
    <p class="written" dir="auto">
      {parts
        ? parts.map(({ value, added, removed }, at) =>
            removed ? null : added && value.trim() !== '' ? <mark key={at}>{value}</mark> : value,
          )
        : text.trim()}
    </p>
  );
};

/** Removed and added words in one text. */
export const Changes = ({ before, after }: { before: string; after: string }) => {
  const parts = diffWords(before.trim(), after.trim(), { timeout: TIMEOUT_MS });
  return (
    <section class="changes" aria-label="What you change">
      <h2>What you change</h2>
      <p class="written" dir="auto">
        {parts?.map(({ value, added, removed }, at) =>
          removed ? <del key={at}>{value}</del> : added ? <ins key={at}>{value}</ins> : value,
        ) ?? after}
      </p>
    </section>
  );
};
