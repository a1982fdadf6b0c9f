/** Pages of a list, and the line over it that tells what is new. */

import { useLayoutEffect, useState } from 'preact/hooks';
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
        <Button
          words={isSoonestFirst ? 'Sooner' : 'Newer'}
          isSmall
          disabled={cursors.length === 0}
          onClick={() => onChange(cursors.slice(0, -1))}
        />
        <Button
          words={isSoonestFirst ? 'Later' : 'Older'}
          isSmall
          disabled={next === null}
          onClick={() => next !== null && onChange([...cursors, next])}
        />
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

/** Whether a page has no rows, and none after it: its last row was removed. */
const isOver = (page: object): boolean =>
  !('next_cursor' in page && page.next_cursor !== null) &&
  Object.values(page).every((value) => !Array.isArray(value) || value.length === 0);

/**
 * One page of a list, and the visited ones for its {@link Pager}.
 * @param of the list's key: another filter begins with the first page
 */
export const usePaged = <T extends object>(
  of: string,
  load: (at: { cursor?: string }, options: CallOptions) => Promise<T>,
) => {
  const [visited, setVisited] = useState<{ of: string; cursors: string[] }>({ of, cursors: [] });
  const cursors = visited.of === of ? visited.cursors : [];
  const cursor = cursors.at(-1);
  const page = useLoaded((signal) => load(cursor === undefined ? {} : { cursor }, { signal }), `${of} ${cursor ?? ''}`);
  const onChange = (next: string[]): void => setVisited({ of, cursors: next });
  const { value } = page;
  useLayoutEffect(() => {
    if (cursors.length > 0 && value !== null && isOver(value)) onChange(cursors.slice(0, -1));
  }, [value]);
  return { page, pages: { cursors, onChange }, isFirst: cursors.length === 0 };
};
