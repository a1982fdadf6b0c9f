/** The text of WordprocessingML and DrawingML: paragraphs on lines, a table's row on one line with tabs between its cells. */

import { walkXml } from './package-parts.ts';

/** Whether a property is on; without a value its presence means on. */
const isOn = ({ 'w:val': value }: Readonly<Record<string, string>>): boolean =>
  value === undefined || !/^(?:0|false|off|none)$/.test(value);

/** What another element has as well, or has in its present form: for older programs, and before tracked changes. */
const REPEATED = new Set(['Fallback', 'moveFrom', 'rPrChange']);

/** Signs of Wingdings by which forms are ticked; it has no code points of its own. */
const TICKS: Readonly<Record<string, string>> = { F06F: '☐', F0A8: '☐', F0FB: '✗', F0FC: '✓', F0FD: '☒', F0FE: '☑' };

/** A sign of a font (17.3.3.30). */
const toSign = (char = ''): string =>
  TICKS[char.toUpperCase()] ??
  (/^[0-9A-CE][0-9A-F]{3}$/i.test(char) ? String.fromCharCode(Number.parseInt(char, 16)) : '');

export const readParagraphs = (xml: string): string => {
  const text: string[] = [];
  let cells = 0;
  let repeated = 0;
  let isRun = false;
  let isHidden = false;
  let isText = false;
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
