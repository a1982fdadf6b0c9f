/** Tracks the visibility of a page's elements while it is walked. */

import type { StyledElement } from './css/selectors.ts';
import { readStylesheet } from './css/stylesheet.ts';
import { SKIPPED } from './elements.ts';
import type { Attributes } from './nesting.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, type Look, styledElement } from './visibility.ts';

interface Opened {
  look: Look;
  isSkipped: boolean;
}

export const createVisibilityTracker = (html: string) => {
  const matchRules = readStylesheet(html);
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
    /** @returns whether the element is displayed; its content may be displayed where it is not */
    open: (name: string, attributes: Attributes): boolean => {
      const element = styledElement(name, attributes);
      opened.push(current);
      const parent = current.look;
      const rules = parent.hidden ? [] : (matchRules?.(element, ancestors) ?? []);
      const declarations = rules.map((rule) => rule.declarations);
      const look = parent.hidden ? parent : computeLook(element, declarations, parent);
      ancestors.push(element);
      enter({ look, isSkipped: current.isSkipped || SKIPPED.has(name) });
      return !look.hidden && !current.isSkipped;
    },
    close: (): void => {
      ancestors.pop();
      enter(opened.pop() ?? current);
    },
    /** The look of the innermost open element. */
    get look(): Look {
      return current.look;
    },
    /** Whether it and its ancestors are displayed. */
    get isShown() {
      return !current.look.hidden && !current.isSkipped;
    },
    /** Whether text in it is visible. */
    get isTextSeen() {
      return isSeen;
    },
    /** Whether it contains code or metadata instead of text. */
    get isSkipped() {
      return current.isSkipped;
    },
  };
};
