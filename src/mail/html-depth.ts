/** How deep HTML nests, found without building anything: the parsers behind it take the square of the depth. */

const TAG = /<(\/?)([a-z][^\s/>]*)/gi;

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);

const CELLS = ['td', 'th'];
const ROWS = ['tr', ...CELLS];
/** Elements whose end tag may be left out, by what ends them (HTML section 13.1.2.4). */
const ENDED_BY: Record<string, readonly string[]> = {
  p: ['p'],
  div: ['p'],
  table: ['p'],
  ul: ['p'],
  ol: ['p'],
  li: ['li', 'p'],
  dt: ['dt', 'dd', 'p'],
  dd: ['dt', 'dd', 'p'],
  td: [...CELLS, 'p'],
  th: [...CELLS, 'p'],
  tr: [...ROWS, 'p'],
  tbody: [...ROWS, 'thead', 'tbody', 'p'],
  option: ['option'],
};

/** The HTML up to the tag that would be the `max + 1`st to stand open; all of it where none is. */
export const cutAtDepth = (html: string, max: number): string => {
  const open: string[] = [];
  const count = new Map<string, number>();
  const pop = (): void => {
    const name = open.pop();
    if (name !== undefined) count.set(name, (count.get(name) ?? 1) - 1);
  };
  for (const match of html.matchAll(TAG)) {
    const name = (match[2] ?? '').toLowerCase();
    if (VOID.has(name)) continue;
    if (match[1] === '/') {
      if (!count.get(name)) continue;
      while (open.at(-1) !== name) pop();
      pop();
      continue;
    }
    const ended = ENDED_BY[name];
    while (ended?.includes(open.at(-1) ?? '')) pop();
    if (open.length >= max) return html.slice(0, match.index);
    open.push(name);
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  return html;
};
