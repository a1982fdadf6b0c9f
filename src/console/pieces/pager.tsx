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
