/** Joins rankings by their ranks alone (reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009). */

/** The paper's constant: the smaller it is, the more the first ranks outweigh agreement. */
const K = 60;

/** @returns each key of any ranking with its score, best first; of equal scores the earlier ranking's goes first */
export const fuseRankings = <T>(rankings: readonly (readonly T[])[]): { key: T; score: number }[] => {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [at, key] of ranking.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (K + at + 1));
  }
  return [...scores].map(([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score);
};
