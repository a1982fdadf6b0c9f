/** The text of WordprocessingML and DrawingML: paragraphs on lines, a table's row on one line with tabs between its cells. */

import { walkXml } from './package-parts.ts';

/** Whether a property is on; without a value its presence means on. */
const isOn = ({ 'w:val': value }: Readonly<Record<string, string>>): boolean =>
  value === undefined || !/^(?:0|false|off|none)$/.test(value);

/** Left out: their text stands elsewhere too. `Fallback` is for older programs, the others are from before a tracked change. */
const REPEATED = new Set(['Fallback', 'moveFrom', 'rPrChange']);

/** Signs of Wingdings by which forms are ticked; it has no code points of its own. */
const TICKS: Readonly<Record<string, string>> = { F06F: '☐', F0A8: '☐', F0FB: '✗', F0FC: '✓', F0FD: '☒', F0FE: '☑' };

/** A sign of a font (17.3.3.30). */
const toSign = (char = ''): string =>
  TICKS[char.toUpperCase()] ??
  (/^[0-9A-CE][0-9A-F]{3}$/i.test(char) ? String.fromCharCode(Number.parseInt(char, 16)) : '');

/** The address is shown for this many links, because a small part may have very many of them. */
const MAX_LINKS = 1_000;
/** A longer address is not shown. */
const MAX_ADDRESS = 500;

/** @param links the addresses that links lead to, by their ids */
export const readParagraphs = (xml: string, links: ReadonlyMap<string, string> = new Map()): string => {
  const text: string[] = [];
  let cells = 0;
  let repeated = 0;
  let isRun = false;
  let isHidden = false;
  let isText = false;
  /** The link that is open, with the element that ends it and where its words begin. */
  let link: { address: string; end: string; from: number } | null = null;
  let shownLinks = 0;
  const beginLink = (end: string, id = ''): void => {
    const address = links.get(id) ?? '';
    if (address !== '' && address.length <= MAX_ADDRESS) link ??= { address, end, from: text.length };
  };
  const endLink = (name: string): void => {
    if (link?.end !== name) return;
    const words = text.slice(link.from).join('').trim();
    if (words !== '' && words !== link.address && ++shownLinks <= MAX_LINKS) text.push(` [${link.address}]`);
    link = null;
  };
  const endLine = () => text.push(cells > 0 ? ' ' : '\n');
  walkXml(xml, {
    open: (name, attributes) => {
      if (REPEATED.has(name)) repeated += 1;
      if (repeated > 0) return;
      if (name === 'tc') cells += 1;
      else if (name === 'r') {
        isRun = true;
        isHidden = false;
      } else if (name === 'vanish' && isRun) isHidden = isOn(attributes);
      else if (name === 't') isText = true;
      else if (name === 'hyperlink') beginLink(name, attributes['r:id']);
      else if (name === 'hlinkClick' && isRun) beginLink('r', attributes['r:id']);
      else if (isHidden) return;
      else if (name === 'br' || name === 'cr') endLine();
      else if (name === 'tab' && isRun) text.push('\t');
      else if (name === 'noBreakHyphen') text.push('-');
      else if (name === 'sym') text.push(toSign(attributes['w:char']));
    },
    text: (words) => {
      if (isText && !isHidden && repeated === 0) text.push(words);
    },
    close: (name) => {
      if (repeated > 0) {
        if (REPEATED.has(name)) repeated -= 1;
        return;
      }
      endLink(name);
      if (name === 't') isText = false;
      else if (name === 'r') {
        isRun = false;
        isHidden = false;
      } else if (name === 'p') endLine();
      else if (name === 'tc') {
        cells -= 1;
        text.push('\t');
      } else if (name === 'tr') endLine();
    },
  });
  return text
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/ +\t/g, '\t')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};
