/** What of a page is seen, element by element, for whoever walks it. */

import { SKIPPED } from './elements.ts';
import { readStylesheet, type StyledElement } from './stylesheet.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, type Look, styledElement } from './visibility.ts';
import type { Attributes } from './walk.ts';

export interface Sight {
  /** @returns whether the element is shown; its content may be where it is not seen itself */
  open(name: string, attributes: Attributes): boolean;
  close(): void;
  /** Of the innermost open element. */
  readonly look: Look;
  /** Whether it and those around it take part in the page. */
  readonly isShown: boolean;
  /** Whether text in it is seen. */
  readonly isTextSeen: boolean;
  /** Whether it holds code or metadata, which is no text. */
  readonly isSkipped: boolean;
}

interface Opened {
  look: Look;
  isSkipped: boolean;
}

export const createSight = (html: string): Sight => {
  const lookOf = createLooks(readStylesheet(html));
  const opened: Opened[] = [];
  const ancestors: StyledElement[] = [];
  let current: Opened = { look: INITIAL_LOOK, isSkipped: false };
  let isSeen = true;

  const enter = (next: Opened): void => {
    current = next;
    isSeen = !next.isSkipped && isTextSeen(next.look);
  };

  return {
    open: (name, attributes) => {
      const element = styledElement(name, attributes);
      opened.push(current);
      const look = current.look.hidden ? current.look : lookOf(element, ancestors, current.look);
      ancestors.push(element);
      enter({ look, isSkipped: current.isSkipped || SKIPPED.has(name) });
      return !look.hidden && !current.isSkipped;
    },
    close: () => {
      ancestors.pop();
      enter(opened.pop() ?? current);
    },
    get look() {
      return current.look;
    },
    get isShown() {
      return !current.look.hidden && !current.isSkipped;
    },
    get isTextSeen() {
      return isSeen;
    },
    get isSkipped() {
      return current.isSkipped;
    },
  };
};
