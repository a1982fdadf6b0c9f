/** Finds the name that a mistyped word probably meant. */

/** Least number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
const distance = (a: string, b: string): number => {
  let [older, old]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (older?.[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min((old?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old?.[j - 1] ?? 0) + cost, swapped));
    }
    [older, old] = [old, row];
  }
  return old?.[b.length] ?? 0;
};

/** Longer words are not compared: no command has this length, and comparing costs time. */
const MAX_LENGTH = 60;

/** @returns the nearest of the names; null where none is near: a third of its letters may differ */
export const nearest = (word: string, names: readonly string[]): string | null => {
  if (word.length > MAX_LENGTH) return null;
  const found = names
    .map((name) => ({ name, away: distance(word.toLowerCase(), name) }))
    .filter(({ name, away }) => away <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.away - b.away);
  return found[0]?.name ?? null;
};
