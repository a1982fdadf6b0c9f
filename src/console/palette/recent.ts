/** The last pages of this tab, with which the palette begins. */

import { keep, readKeptRows } from '../api/kept.ts';
import { workspace } from '../api/session.ts';

export interface Place {
  /** Below `/console`. */
  path: string;
  words: string;
}

/** More than are shown, because of a kind only some are. */
const MOST_KEPT = 24;
const keyOf = (): string => `postroom-recent ${workspace.value?.slug}`;

export const listRecent = (): Place[] => readKeptRows('tab', keyOf());

export const keepRecent = (path: string, words: string): void => {
  if (words === '' || path === '/') return;
  const others = listRecent().filter((place) => place.path !== path);
  keep('tab', keyOf(), JSON.stringify([{ path, words }, ...others].slice(0, MOST_KEPT)));
};
