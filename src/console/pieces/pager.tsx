/** Pages of a list. */

import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';

interface PagerProps {
  /** Of the pages between the first and the one that is shown. */
  cursors: readonly string[];
  next: string | null;
  onChange: (cursors: string[]) => void;
}

/** Lists have cursors, not page numbers. */
export const Pager = ({ cursors, next, onChange }: PagerProps) =>
  cursors.length === 0 && next === null ? null : (
    <div class="pager">
      <span>Newest first{cursors.length > 0 ? `, page ${cursors.length + 1}` : ''}.</span>
      <span class="end">
        <Button isSmall disabled={cursors.length === 0} onClick={() => onChange(cursors.slice(0, -1))}>
          Newer
        </Button>
        <Button isSmall disabled={next === null} onClick={() => next !== null && onChange([...cursors, next])}>
          Older
        </Button>
      </span>
    </div>
  );

/** The pages that were turned of a list. @param of what is listed: another filter begins with the first page */
export const usePages = (of: string) => {
  const [pages, setPages] = useState<{ of: string; cursors: string[] }>({ of, cursors: [] });
  const cursors = pages.of === of ? pages.cursors : [];
  return { cursors, cursor: cursors.at(-1), turn: (next: string[]): void => setPages({ of, cursors: next }) };
};
