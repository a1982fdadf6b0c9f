/** The text of WordprocessingML and DrawingML: paragraphs on lines, a table's row on one line with tabs between its cells. */

import { walkXml } from './package-parts.ts';

/** Whether a property is on; without a value its presence means on. */
const isOn = ({ 'w:val': value }: Readonly<Record<string, string>>): boolean =>
  value === undefined || !/^(?:0|false|off|none)$/.test(value);

export const readParagraphs = (xml: string): string => {
  const text: string[] = [];
  let cells = 0;
  let fallbacks = 0;
  let isRun = false;
  let isHidden = false;
  let isText = false;
  const endLine = () => text.push(cells > 0 ? ' ' : '\n');
  walkXml(xml, {
    open: (name, attributes) => {
      // Repeats the content, for programs without support for the first form.
      if (name === 'Fallback') fallbacks += 1;
      else if (name === 'tc') cells += 1;
      else if (name === 'r') {
        isRun = true;
        isHidden = false;
      } else if (name === 'vanish' && isRun) isHidden = isOn(attributes);
      else if (name === 't') isText = true;
      else if (fallbacks > 0 || isHidden) return;
      else if (name === 'br' || name === 'cr') endLine();
      else if (name === 'tab' && isRun) text.push('\t');
      else if (name === 'noBreakHyphen') text.push('-');
    },
    text: (words) => {
      if (isText && !isHidden && fallbacks === 0) text.push(words);
    },
    close: (name) => {
      if (name === 'Fallback') fallbacks -= 1;
      else if (name === 't') isText = false;
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
