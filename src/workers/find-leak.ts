/** Finds the secrets of the workspace's vault in a mail to be sent, and where they stand. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { type LeakIndex, LeakSearch } from '../seal/leak-index.ts';
import { leakViews } from '../seal/leak-views.ts';
import type { SecretMatch } from './tasks.ts';

/** A text or bytes that are searched by themselves. */
export interface LeakPiece {
  /** The part of the mail, as shown to a reviewer. */
  where: string;
  content: string | Uint8Array;
  /** Whether it contains the other pieces: secrets found in them are not searched again. */
  isWhole?: boolean;
}

/** Secrets that a reviewer is shown, and parts for each. */
const MAX_TOLD = 20;
/** HTML, its text as a reader gets it, and the values of its attributes: entities decoded, tags taken out of words. */
export const htmlPieces = (html: string, where: string): LeakPiece[] => {
  const texts: string[] = [];
  const values: string[] = [];
  const parser = new Parser({
    ontext: (text) => texts.push(text),
    onattribute: (_name, value) => values.push(value),
  });
  parser.end(html);
  return [html, texts.join(''), values.join('\0')]
    .filter((content) => content !== '')
    .map((content) => ({ where, content }));
};

const addPlace = (places: Map<number, Set<string>>, secret: number, where: string, isWhole: boolean): void => {
  const known = places.get(secret);
  if (known && (isWhole || known.size >= MAX_TOLD)) return;
  if (known) known.add(where);
  else if (places.size < MAX_TOLD) places.set(secret, new Set([where]));
};

/** @param index null: the workspace has no secrets */
export const findLeaks = async (index: LeakIndex | null, pieces: Iterable<LeakPiece>): Promise<SecretMatch[]> => {
  if (!index) return [];
  const search = new LeakSearch(index);
  const places = new Map<number, Set<string>>();
  for (const { where, content, isWhole = false } of pieces) {
    const found = new Set(isWhole ? places.keys() : []);
    for (const view of leakViews(typeof content === 'string' ? Buffer.from(content) : content)) {
      search.find(view, found);
      // A large mail takes a second or more, which must not block the thread's loop.
      if (view.length > LARGE_VIEW) await yieldToLoop();
    }
    for (const secret of found) addPlace(places, secret, where, isWhole);
  }
  return [...places].map(([secret, where]) => ({ secret, where: [...where] }));
};

/** Bytes; about 5 ms. */
const LARGE_VIEW = 256 * 1024;
