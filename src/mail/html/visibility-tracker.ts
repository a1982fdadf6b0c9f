/** Tracks the visibility of a page's elements while it is walked. */

import { SKIPPED } from './elements.ts';
import { readStylesheet, type StyledElement } from './stylesheet.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, type Look, styledElement } from './visibility.ts';
import type { Attributes } from './walk-html.ts';

export interface VisibilityTracker {
  /** @returns whether the element is displayed; its content may be displayed where it is not */
  open(name: string, attributes: Attributes): boolean;
  close(): void;
  /** Look of the innermost open element. */
  readonly look: Look;
  /** Whether it and its ancestors are displayed. */
  readonly isShown: boolean;
  /** Whether text in it is visible. */
  readonly isTextSeen: boolean;
  /** Whether it contains code or metadata instead of text. */
  readonly isSkipped: boolean;
}

interface Opened {
  look: Look;
  isSkipped: boolean;
}

export const createVisibilityTracker = (html: string): VisibilityTracker => {
  const computeLook = createLooks(readStylesheet(html));
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
      const look = current.look.hidden ? current.look : computeLook(element, ancestors, current.look);
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
