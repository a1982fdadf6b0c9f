/** Whether a mail that is to be sent holds a secret of its workspace's vault. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { type LeakIndex, LeakSearch } from '../seal/leak-index.ts';
import { leakViews } from '../seal/leak-views.ts';

/** A text or bytes that are searched by themselves. */
export type LeakPiece = string | Uint8Array;

/** The text of HTML as a reader gets it, and the values of its attributes: entities decoded, tags taken out of words. */
export const htmlPieces = (html: string): string[] => {
  const texts: string[] = [];
  const values: string[] = [];
  const parser = new Parser({
    ontext: (text) => texts.push(text),
    onattribute: (_name, value) => values.push(value),
  });
  parser.end(html);
  return [html, texts.join(''), values.join('\0')];
};

/** @param index null: the workspace has no secrets */
export const holdsSecret = async (index: LeakIndex | null, pieces: Iterable<LeakPiece>): Promise<boolean> => {
  if (!index) return false;
  const search = new LeakSearch(index);
  for (const piece of pieces) {
    for (const view of leakViews(typeof piece === 'string' ? Buffer.from(piece) : piece, search.hasBlanks)) {
      if (search.isIn(view)) return true;
      // A large mail takes a second or more, and the thread's loop must not stand still for as long.
      if (view.length > LARGE_VIEW) await yieldToLoop();
    }
  }
  return false;
};

/** Bytes; about 5 ms. */
const LARGE_VIEW = 256 * 1024;
