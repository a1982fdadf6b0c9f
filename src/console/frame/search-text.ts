/** The search text, kept in the address, so that a reload or a link repeats the search. */

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useTyped } from '../components/inputs.tsx';

export const useSearchText = () => {
  const [text, setText] = useState(() => new URLSearchParams(location.search).get('q') ?? '');
  const q = useTyped(text);
  const [path] = useLocation();
  useEffect(() => {
    const search = q === '' ? '' : `?${new URLSearchParams({ q })}`;
    // Replaces the entry: typed text is no step in the history.
    if (location.search !== search) history.replaceState(history.state, '', `${location.pathname}${search}`);
  }, [q, path]);
  /** `q`: the text once the reader pauses; '' for none. */
  return { text, setText, q };
};
