/** Tracks the visibility of a page's elements while it is walked. */

import type { Rule } from './css/rules.ts';
import type { StyledElement } from './css/selectors.ts';
import { readStylesheet } from './css/stylesheet.ts';
import { SKIPPED } from './elements.ts';
import type { Attributes } from './nesting.ts';
import { createPossibleLooks } from './possible-looks.ts';
import { createLooks, INITIAL_LOOK, isTextSeen, type Look, mayBlendIn, mayHide, styledElement } from './visibility.ts';

export interface VisibilityTracker {
  /** @returns whether the element is displayed; its content may be displayed where it is not */
  open(name: string, attributes: Attributes): boolean;
  close(): void;
  /** Before so many elements are closed that a browser may leave open: where one hides text, what follows is doubtful. */
  closeAcross(count: number): void;
  /** Look of the innermost open element. */
  readonly look: Look;
  /** Whether it and its ancestors are displayed. */
  readonly isShown: boolean;
  /** Whether text in it is visible. */
  readonly isTextSeen: boolean;
  /** Whether text in it may be invisible to some of those who read the mail; false unless asked for. */
  readonly isTextDoubtful: boolean;
  /** Whether it contains code or metadata instead of text. */
  readonly isSkipped: boolean;
}

interface Opened {
  look: Look;
  isSkipped: boolean;
}

const NO_RULES: readonly Rule[] = [];

/** @param withDoubts whether rules are looked at that apply possibly */
export const createVisibilityTracker = (html: string, withDoubts = false): VisibilityTracker => {
  const stylesheet = readStylesheet(html, withDoubts ? mayHide : null);
  const computeLook = createLooks({ animationMayHide: stylesheet?.animationMayHide ?? false, withDoubts });
  const possible = withDoubts && stylesheet ? createPossibleLooks(stylesheet.conditions, computeLook) : null;
  const opened: Opened[] = [];
  const ancestors: StyledElement[] = [];
  let current: Opened = { look: INITIAL_LOOK, isSkipped: false };
  let isSeen = true;
  /** Whether an element that hides text may still be open. */
  let isMisnested = false;

  const isUnsure = (look: Look): boolean => look.isDoubtful || mayBlendIn(look);
  const hides = ({ look, isSkipped }: Opened): boolean => !isSkipped && (!isTextSeen(look) || isUnsure(look));

  const enter = (next: Opened): void => {
    current = next;
    isSeen = !next.isSkipped && isTextSeen(next.look);
  };

  return {
    open: (name, attributes) => {
      const element = styledElement(name, attributes);
      opened.push(current);
      const parent = current.look;
      const isComputed = !parent.hidden;
      const rules = isComputed ? (stylesheet?.matching(element, ancestors) ?? NO_RULES) : NO_RULES;
      const certain = rules.flatMap((rule) => (rule.condition === null ? [rule.declarations] : []));
      const look = isComputed ? computeLook(element, certain, parent) : parent;
      possible?.open(element, rules, look, parent);
      ancestors.push(element);
      enter({ look, isSkipped: current.isSkipped || SKIPPED.has(name) });
      return !look.hidden && !current.isSkipped;
    },
    close: () => {
      ancestors.pop();
      possible?.close();
      enter(opened.pop() ?? current);
    },
    closeAcross: (count) => {
      if (!withDoubts) return;
      const closed = [current, ...opened.slice(1 - count)];
      isMisnested ||= possible?.isTextHidden === true || closed.some(hides);
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
    get isTextDoubtful() {
      if (!withDoubts) return false;
      return isMisnested || isUnsure(current.look) || stylesheet?.isCut === true || possible?.isTextHidden === true;
    },
    get isSkipped() {
      return current.isSkipped;
    },
  };
};
