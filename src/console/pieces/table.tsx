/** The head of a table. */

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
