/** The search text, kept in the address, so that a reload or a link repeats the search. */

import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useFind } from '../components/inputs.tsx';

export const useSearchText = () => {
  const { q, find } = useFind(new URLSearchParams(location.search).get('q') ?? '');
  const [path] = useLocation();
  useEffect(() => {
    const search = q === '' ? '' : `?${new URLSearchParams({ q })}`;
    // Replaces the entry: typed text is no step in the history.
    if (location.search !== search) history.replaceState(history.state, '', `${location.pathname}${search}`);
  }, [q, path]);
  return { q, find };
};
