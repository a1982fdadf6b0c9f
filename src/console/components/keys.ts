/** The keyboard: single keys, off in fields, and off entirely where the reader turned them off. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { keep, readKept } from '../api/kept.ts';

export interface Key {
  key: string;
  /** Its text in the list of all keys; left out: it is not listed. */
  does?: string;
  run: () => void;
  /** Whether it works in a field too. */
  inFields?: boolean;
}

const KEPT = 'postroom-keys';

export const areKeysOn = signal(readKept('browser', KEPT) !== 'off');
export const turnKeys = (on: boolean): void => {
  areKeysOn.value = on;
  keep('browser', KEPT, on ? 'on' : 'off');
};

/** The keys of shown components, in the order of their appearance. */
const layers: { keys: Key[] }[] = [];
const shownKeys = (): Key[] => layers.flatMap(({ keys }) => keys);
export const listKeys = (): Key[] => shownKeys().filter(({ does }) => does !== undefined);

/** A pair precedes the single key that it ends with; later components precede earlier ones. */
const findKey = (key: string, pair: string | null): Key | undefined => {
  const keys = shownKeys();
  return keys.findLast((each) => each.key === pair) ?? keys.findLast((each) => each.key === key);
};

const IN_FIELD = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';
const PAIR_MS = 1_200;
let first: { key: string; at: number } | null = null;

const onKey = (event: KeyboardEvent): void => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target instanceof Element ? event.target : null;
  const isField = target?.closest(IN_FIELD) != null;
  // Escape closes an open menu, and nothing else.
  if (event.key === 'Escape' && document.querySelector(':popover-open')) return;
  const isDialog = target?.closest('dialog, [popover]') != null;
  const pair = first && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${event.key}` : null;
  first = !isField && !isDialog && event.key === 'g' ? { key: 'g', at: event.timeStamp } : null;
  const isSingle = event.key.length === 1;
  const found = findKey(event.key, pair);
  if (!found || ((isField || isDialog) && !found.inFields)) return;
  if (isSingle && !areKeysOn.value) return;
  // Enter and Space belong to what has the focus.
  if (event.key === 'Enter' && target?.closest('a, button, summary')) return;
  event.preventDefault();
  found.run();
};

export const startKeys = (): void => document.addEventListener('keydown', onKey);

/** Keys as long as the caller is shown. */
export const useKeys = (keys: Key[]): void => {
  const layer = useRef({ keys });
  layer.current.keys = keys;
  useEffect(() => {
    const { current } = layer;
    layers.push(current);
    return () => {
      layers.splice(layers.indexOf(current), 1);
    };
  }, []);
};
