/** Writes an element as Markdown: headings, paragraphs, lists, tables, code and links. */

import { type HtmlElement, type HtmlNode, INLINE, isElement, textOf } from './html-tree.ts';

const HEADING = /^h([1-6])$/;
const STRUCK = new Set('s strike del'.split(' '));
const SKIPPED = new Set('script style template noscript head title'.split(' '));

interface Writing {
  /** Finished blocks. */
  readonly blocks: string[];
  /** The text of the block that is being written. */
  line: string;
  readonly resolve: (href: string) => string | null;
}

const flush = (writing: Writing): void => {
  const text = writing.line
    .split('\n')
    .map((line) => line.replace(/[\t ]+/g, ' ').trim())
    .join('\n')
    .trim();
  writing.line = '';
  if (text !== '') writing.blocks.push(text);
};

/** An element within a line, as Markdown. */
const inlineOf = (node: HtmlNode, resolve: Writing['resolve']): string => {
  if (!isElement(node)) return node.replace(/\s+/g, ' ');
  const { name, attributes, children } = node;
  if (SKIPPED.has(name)) return '';
  if (name === 'br') return '\n';
  if (name === 'img') return attributes.alt?.trim() ? `[${attributes.alt.replace(/\s+/g, ' ').trim()}]` : '';
  const text = children.map((child) => inlineOf(child, resolve)).join('');
  if (text.trim() === '') return text === '' ? '' : ' ';
  if (name === 'code' || name === 'kbd' || name === 'samp') return `\`${text.replaceAll('`', "'")}\``;
  // A block within a line, such as a `div` in a link.
  if (!INLINE.has(name)) return `\n${text}\n`;
  // A price that no longer holds.
  if (STRUCK.has(name)) return `~~${text.trim()}~~`;
  if (name !== 'a') return text;
  const href = attributes.href === undefined ? null : resolve(attributes.href);
  return href === null || text.includes('\n') ? text : `[${text.trim()}](${href})`;
};

const writeList = (element: HtmlElement, writing: Writing, depth: number): void => {
  let number = Number.parseInt(element.attributes.start ?? '1', 10) - 1 || 0;
  const items = element.children.filter(isElement).flatMap((item) => {
    const inside: Writing = { blocks: [], line: '', resolve: writing.resolve };
    writeNode(item.name === 'li' ? { ...item, name: 'div' } : item, inside, depth + 1);
    flush(inside);
    const text = inside.blocks.join('\n').replaceAll('\n', '\n  ');
    number += 1;
    return text === '' ? [] : [`${element.name === 'ol' ? `${number}.` : '-'} ${text}`];
  });
  if (items.length > 0) writing.blocks.push(items.join('\n'));
};

const rowsOf = (element: HtmlElement): HtmlElement[] =>
  element.children.filter(isElement).flatMap((child) => (child.name === 'tr' ? [child] : rowsOf(child)));

/** Places of a table that its cells fill beside their first one. */
const MAX_SPANNED = 5_000;
/** A longer text is not repeated. */
const MAX_REPEATED = 100;

/** HTML section 4.9.11. */
const spanOf = (given: string | undefined): number => Math.max(1, Number.parseInt(given ?? '1', 10) || 1);

/** The texts in their columns. A cell that spans several places stands in each, so that none moves below another's heading. */
const toGrid = (rows: readonly HtmlElement[][], resolve: Writing['resolve']): string[][] => {
  const grid: string[][] = rows.map(() => []);
  let room = MAX_SPANNED;
  for (const [y, cells] of rows.entries()) {
    let x = 0;
    for (const { attributes, children } of cells) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const inside = children.map((child) => inlineOf(child, resolve)).join('');
      const text = inside.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
      const down = Math.min(spanOf(attributes.rowspan), rows.length - y);
      const across = spanOf(attributes.colspan);
      const isWithin = down * across - 1 <= room;
      if (isWithin) room -= down * across - 1;
      for (let row = y; row < y + (isWithin ? down : 1); row += 1) {
        for (let column = x; column < x + (isWithin ? across : 1); column += 1) {
          const line = grid[row];
          const isFirst = row === y && column === x;
          if (line) line[column] ??= isFirst || text.length <= MAX_REPEATED ? text : '';
        }
      }
      x += isWithin ? across : 1;
    }
  }
  // Places that no cell fills.
  return grid.map((line) => Array.from(line, (text) => text ?? ''));
};

/** A table of one column is layout: its cells are blocks. */
const writeTable = (element: HtmlElement, writing: Writing, depth: number): void => {
  const rows = rowsOf(element).map(({ children }) =>
    children.filter((cell): cell is HtmlElement => isElement(cell) && (cell.name === 'td' || cell.name === 'th')),
  );
  const isSingle = rows.every(({ length }) => length < 2);
  const isLayout = isSingle || rows.some((cells) => cells.some((cell) => textOf(cell).length > 2_000));
  if (isLayout) {
    for (const cell of rows.flat()) writeBlock(cell, writing, depth);
    return;
  }
  const caption = element.children.find((child) => isElement(child) && child.name === 'caption');
  if (caption) writeNode(caption, writing, depth);
  const grid = toGrid(rows, writing.resolve).filter((cells) => cells.some((cell) => cell !== ''));
  const [head, ...body] = grid.map((cells) => `| ${cells.join(' | ')} |`);
  const columns = grid.reduce((most, { length }) => Math.max(most, length), 0);
  if (head !== undefined) writing.blocks.push([head, `|${' --- |'.repeat(columns)}`, ...body].join('\n'));
};

const codeOf = (element: HtmlElement): string =>
  element.children
    .map((child) => {
      if (!isElement(child)) return child;
      const code = child.name === 'br' ? '\n' : codeOf(child);
      // Each line may be a block.
      return INLINE.has(child.name) || code.endsWith('\n') ? code : `${code}\n`;
    })
    .join('');

const writeBlock = (element: HtmlElement, writing: Writing, depth: number): void => {
  flush(writing);
  for (const child of element.children) writeNode(child, writing, depth);
  flush(writing);
};

const writeQuote = (element: HtmlElement, writing: Writing, depth: number): void => {
  const inside: Writing = { blocks: [], line: '', resolve: writing.resolve };
  writeBlock(element, inside, depth);
  const text = inside.blocks.join('\n\n');
  if (text !== '') writing.blocks.push(text.replace(/^/gm, '> '));
};

const writeNode = (node: HtmlNode, writing: Writing, depth: number): void => {
  if (!isElement(node) || INLINE.has(node.name) || node.name === 'br' || node.name === 'img') {
    writing.line += inlineOf(node, writing.resolve);
    return;
  }
  const { name } = node;
  if (SKIPPED.has(name)) return;
  const level = HEADING.exec(name)?.[1];
  if (level !== undefined) {
    flush(writing);
    const text = textOf(node);
    if (text !== '') writing.blocks.push(`${'#'.repeat(Number(level))} ${text}`);
  } else if (name === 'ul' || name === 'ol') {
    flush(writing);
    writeList(node, writing, depth);
  } else if (name === 'table') {
    flush(writing);
    writeTable(node, writing, depth);
  } else if (name === 'pre') {
    flush(writing);
    const code = codeOf(node).replace(/^\n+/, '').trimEnd();
    if (code !== '') writing.blocks.push(`\`\`\`\n${code.replaceAll('```', "'''")}\n\`\`\``);
  } else if (name === 'blockquote') {
    flush(writing);
    writeQuote(node, writing, depth);
  } else {
    writeBlock(node, writing, depth);
  }
};

/** @param resolve the absolute URL of a link; null where it is left out */
export const toMarkdown = (element: HtmlElement, resolve: (href: string) => string | null): string => {
  const writing: Writing = { blocks: [], line: '', resolve };
  writeBlock(element, writing, 0);
  return writing.blocks.join('\n\n');
};
