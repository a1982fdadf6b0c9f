/** Tables: a frame, the heads, a row each; on a phone each row is a card. */

import type { ComponentChildren } from 'preact';

interface HeadsProps {
  /** A name that begins with `#` is of a column of numbers; an empty one is of the acts. */
  of: readonly string[];
}

export const Heads = ({ of }: HeadsProps) => (
  <thead>
    <tr>
      {of.map((name) => (
        <th key={name} scope="col" class={name === '' || name.startsWith('#') ? 'num' : undefined}>
          {name === '' ? <span class="sr">Acts</span> : name.replace(/^#/, '')}
        </th>
      ))}
    </tr>
  </thead>
);

interface TableProps<T> {
  /** As of `Heads`. */
  heads: readonly string[];
  of: readonly T[];
  /** Above the heads, within the frame. */
  before?: ComponentChildren;
  /** Rows behind these. */
  after?: ComponentChildren;
  /** In place of no rows. */
  empty?: ComponentChildren;
  isDense?: boolean;
  class?: string;
  /** A row, with its key. */
  children: (row: T) => ComponentChildren;
}

export const Table = <T,>({ heads, of, before, after, empty, isDense, class: more, children }: TableProps<T>) => (
  <div class="tw">
    {empty && of.length === 0 ? (
      empty
    ) : (
      <>
        {before}
        <table class={['cards', isDense && 'dense', more].filter(Boolean).join(' ')}>
          <Heads of={heads} />
          <tbody>
            {of.map(children)}
            {after}
          </tbody>
        </table>
      </>
    )}
  </div>
);
