/** What is looked for, kept in the address: a reload, and a link, look for it again. */

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useTyped } from '../pieces/inputs.tsx';

export interface SearchText {
  text: string;
  setText(text: string): void;
  /** The text once the reader pauses; '' for none. */
  q: string;
}

export const useSearchText = (): SearchText => {
  const [text, setText] = useState(() => new URLSearchParams(location.search).get('q') ?? '');
  const q = useTyped(text);
  const [path] = useLocation();
  useEffect(() => {
    const search = q === '' ? '' : `?${new URLSearchParams({ q })}`;
    // In place: what was typed is no step to go back to.
    if (location.search !== search) history.replaceState(history.state, '', `${location.pathname}${search}`);
  }, [q, path]);
  return { text, setText, q };
};
