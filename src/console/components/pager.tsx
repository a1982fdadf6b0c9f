/** Pages of a list, and the line over it that tells what is new. */

import { useState } from 'preact/hooks';
import type { CallOptions } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { Button } from './controls.tsx';

interface PagerProps {
  /** The cursors of the pages after the first, up to the current one. */
  cursors: readonly string[];
  next: string | null;
  onChange: (cursors: string[]) => void;
  /** What comes next stands first; else the newest does. */
  isSoonestFirst?: boolean;
}

/** Lists have cursors, not page numbers. */
export const Pager = ({ cursors, next, onChange, isSoonestFirst = false }: PagerProps) =>
  cursors.length === 0 && next === null ? null : (
    <div class="pager">
      <span>
        {isSoonestFirst ? 'The next first' : 'Newest first'}
        {cursors.length > 0 ? `, page ${cursors.length + 1}` : ''}.
      </span>
      <span class="end">
        <Button isSmall disabled={cursors.length === 0} onClick={() => onChange(cursors.slice(0, -1))}>
          {isSoonestFirst ? 'Sooner' : 'Newer'}
        </Button>
        <Button isSmall disabled={next === null} onClick={() => next !== null && onChange([...cursors, next])}>
          {isSoonestFirst ? 'Later' : 'Older'}
        </Button>
      </span>
    </div>
  );

/** Lies over the list, so that no row moves. @param words as in "2 new"; null while nothing is */
export const NewLine = ({ words, onClick }: { words: string | null; onClick: () => void }) => (
  <div class="news" aria-live="polite">
    {words !== null && (
      <button type="button" onClick={onClick}>
        {words}
      </button>
    )}
  </div>
);

/**
 * One page of a list, and the visited ones for its {@link Pager}.
 * @param of the list's key: another filter begins with the first page
 */
export const usePaged = <T,>(of: string, load: (at: { cursor?: string }, options: CallOptions) => Promise<T>) => {
  const [visited, setVisited] = useState<{ of: string; cursors: string[] }>({ of, cursors: [] });
  const cursors = visited.of === of ? visited.cursors : [];
  const cursor = cursors.at(-1);
  const page = useLoaded((signal) => load(cursor === undefined ? {} : { cursor }, { signal }), `${of} ${cursor ?? ''}`);
  const onChange = (next: string[]): void => setVisited({ of, cursors: next });
  return { page, pages: { cursors, onChange }, isFirst: cursors.length === 0 };
};
