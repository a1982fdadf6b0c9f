/** Tracks the visibility of a page's elements while it is walked. */

import type { StyledElement } from './css/selectors.ts';
import { readStylesheet } from './css/stylesheet.ts';
import { PREFORMATTED, SKIPPED } from './elements.ts';
import type { Attributes } from './nesting.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, type Look, styledElement } from './visibility.ts';

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
  const stylesheet = readStylesheet(html);
  const computeLook = createLooks();
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
      const parent = current.look;
      const rules = parent.hidden ? [] : (stylesheet?.matching(element, ancestors) ?? []);
      const declarations = rules.map((rule) => rule.declarations);
      const look = parent.hidden ? parent : computeLook(element, declarations, parent);
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

const PREFORMATTED_LOOK: Look = { ...INITIAL_LOOK, preformatted: true };

/** For a page without hidden text, as outgoing HTML is. */
export const createPlainVisibility = (): VisibilityTracker => {
  const opened: string[] = [];
  let preformatted = 0;
  return {
    open: (name) => {
      opened.push(name);
      if (PREFORMATTED.has(name)) preformatted += 1;
      return true;
    },
    close: () => {
      if (PREFORMATTED.has(opened.pop() ?? '')) preformatted -= 1;
    },
    get look() {
      return preformatted > 0 ? PREFORMATTED_LOOK : INITIAL_LOOK;
    },
    isShown: true,
    isTextSeen: true,
    isSkipped: false,
  };
};
