/** Tells what Outlook alone reads, and may hide the words around it by. */

import { COVER, readDeclarations } from '../css/declarations.ts';
import { conditionalParts } from '../css/style-elements.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, styledElement } from '../visibility.ts';
import { MAX_HTML, walkHtml } from '../walk-html.ts';

const END = 'x-end';
const COLORED = /(?:^|[\s;])(?:color|-webkit-text-fill-color)\s{0,9}:/i;

/** Elements with names of their own namespace, such as `v:rect`, show what is in them whatever its style. */
const isVector = (name: string): boolean => name.includes(':');

/** Whether a part for Outlook covers words, or leaves an element open that hides what is after the part. */
export const outlookMayHide = (html: string): boolean => {
  const computeLook = createLooks({ withDoubts: true });
  const mayHide = (part: string): boolean => {
    const open: boolean[] = [];
    let isFound = false;
    walkHtml(`${part}<${END}>`, {
      open: (name, attributes) => {
        if (name === END) isFound ||= open.includes(true);
        const style = attributes.get('style') ?? '';
        isFound ||= style !== '' && readDeclarations(style, true).has(COVER);
        const look = computeLook(styledElement(name, attributes), [], INITIAL_LOOK);
        // Cells without a size are in use; what is in them sets its own.
        const isSeen = isTextSeen({ ...look, fontSize: INITIAL_LOOK.fontSize });
        const isColored = COLORED.test(style) || (name === 'font' && attributes.has('color'));
        open.push(!isVector(name) && (!isSeen || look.isDoubtful || isColored));
      },
      close: () => open.pop(),
      text: () => {},
    });
    return isFound;
  };
  return conditionalParts(html.slice(0, MAX_HTML)).some((part) => part.includes('<') && mayHide(part));
};
