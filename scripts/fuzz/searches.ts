/** Searches that cost: prefixes, many words, many alternatives, cursors that are made up. */

import type { Random } from './random.ts';
import type { AgentCaller } from './rest-calls.ts';

const WORDS = ['hello', 'question', 'mail', 'the', 'a', 'report', 'x', 'con', 'inv', 'der', 'message', '東京', 'é'];

const word = (random: Random): string => {
  const text = random.pick(WORDS);
  return `${random.pick(['', '', '-', 'subject:', 'from:'])}${text.slice(0, 1 + random.below(text.length))}${random.pick(['', '*', '*'])}`;
};

export const makeSearch = ({ key }: AgentCaller, random: Random): Buffer => {
  const words = Array.from({ length: 1 + random.below(random.pick([3, 8, 60])) }, () => word(random));
  const made = Buffer.from(JSON.stringify([-1, random.below(9_000), random.below(9_000), random.below(9_000)]));
  const cursor = random.chance(0.2) ? `&cursor=${made.toString('base64url')}` : '';
  const query = `q=${encodeURIComponent(words.join(random.pick([' ', ' OR ']))).slice(0, 900)}&limit=50${cursor}`;
  return Buffer.from(
    `GET /v1/search?${query} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
};
