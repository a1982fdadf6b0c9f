/** The keys of a list beside what is open of it: to the next, to the previous, back to the list. */

import { useLocation } from 'wouter-preact';
import { useKeys } from '../pieces/keys.ts';
import { focusNextReader } from './kept-focus.ts';

interface StepsProps {
  /** One of the list, in words. */
  what: string;
  /** Where each of the list opens. */
  links: readonly string[];
  /** The one that is open; -1: none. */
  at: number;
  /** The list alone; left out: something of it is always open. */
  list?: string;
}

/** @returns goes so many on, for buttons that do as the keys */
export const useSteps = ({ what, links, at, list }: StepsProps): ((by: number) => void) => {
  const [, go] = useLocation();
  const step = (by: number): void => {
    const next = links[at + by];
    if (next === undefined) return;
    focusNextReader();
    go(next);
  };
  useKeys([
    { key: 'j', does: `next ${what}`, run: () => step(1) },
    { key: 'k', does: `previous ${what}`, run: () => step(-1) },
    ...(list === undefined ? [] : [{ key: 'Escape', does: 'back to the list', run: () => go(list) }]),
  ]);
  return step;
};
