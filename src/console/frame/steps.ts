/** The keys of a split view: to the next entry, to the previous one, back to the list. */

import { useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useKeys } from '../components/keys.ts';
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

interface Steps {
  /** The entry so many further; undefined: none. */
  linkAt(by: number): string | undefined;
  /** Opens it, for buttons like the keys. */
  step(by: number): void;
}

export const useSteps = ({ what, links, at, list }: StepsProps): Steps => {
  const [path, go] = useLocation();
  const last = useRef({ path, at });
  if (at >= 0) last.current = { path, at };
  const linkAt = (by: number): string | undefined => {
    if (at >= 0) return links[at + by];
    // The open entry has left the list; the next one has its place.
    const { path: left, at: place } = last.current;
    return left === path && place >= 0 ? links[by > 0 ? place + by - 1 : place + by] : links[by - 1];
  };
  const step = (by: number): void => {
    const next = linkAt(by);
    if (next === undefined) return;
    focusNextReader();
    go(next);
  };
  useKeys([
    { key: 'j', does: `next ${what}`, run: () => step(1) },
    { key: 'k', does: `previous ${what}`, run: () => step(-1) },
    ...(list === undefined ? [] : [{ key: 'Escape', does: 'back to the list', run: () => go(list) }]),
  ]);
  return { linkAt, step };
};
