/** Tracks the visibility of a page's elements while it is walked. */

import type { Rule } from './css/rules.ts';
import type { StyledElement } from './css/selectors.ts';
import { readStylesheet } from './css/stylesheet.ts';
import { createDoubtTracker, type Findings } from './doubts/doubt-tracker.ts';
import { outlookMayHide } from './doubts/outlook-parts.ts';
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
  /** Called with each text that is not blank: whether some of those who read the mail may not see it in its place. */
  isDoubtful(text: string): boolean;
  /** What is known of the page at its end, for another walk; null where that would tell no more. */
  readonly findings: Findings | null;
  /** Whether it contains code or metadata instead of text. */
  readonly isSkipped: boolean;
}

interface Opened {
  look: Look;
  isSkipped: boolean;
}

const NO_RULES: readonly Rule[] = [];

const NO_FINDINGS: Findings = { mayBeCovered: false, moved: new Set() };

/**
 * @param withDoubts whether rules are looked at that apply possibly
 * @param known of the page from a walk before
 */
export const createVisibilityTracker = (
  html: string,
  withDoubts = false,
  known: Findings = NO_FINDINGS,
): VisibilityTracker => {
  const stylesheet = readStylesheet(html, withDoubts ? mayHide : null);
  const computeLook = createLooks({ animationMayHide: stylesheet?.animationMayHide ?? false, withDoubts });
  const possible = withDoubts && stylesheet ? createPossibleLooks(stylesheet.conditions, computeLook) : null;
  const doubts = withDoubts ? createDoubtTracker(stylesheet?.animationMayCover ?? false, known) : null;
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
      const matching = isComputed || withDoubts ? (stylesheet?.matching(element, ancestors) ?? NO_RULES) : NO_RULES;
      const rules = isComputed ? matching.filter(({ isApart }) => !isApart) : NO_RULES;
      const certain = rules.flatMap((rule) => (rule.condition === null ? [rule.declarations] : []));
      const look = isComputed ? computeLook(element, certain, parent) : parent;
      possible?.open(element, rules, look, parent);
      doubts?.open(element, matching, look);
      ancestors.push(element);
      enter({ look, isSkipped: current.isSkipped || SKIPPED.has(name) });
      return !look.hidden && !current.isSkipped;
    },
    close: () => {
      ancestors.pop();
      possible?.close();
      doubts?.close();
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
    isDoubtful: (text) => {
      if (!doubts) return false;
      const isDoubtful = doubts.isDoubtful(text);
      return (
        isDoubtful ||
        isMisnested ||
        isUnsure(current.look) ||
        stylesheet?.isCut === true ||
        possible?.isTextHidden === true
      );
    },
    get findings() {
      const found = doubts?.findings;
      if (!found || known !== NO_FINDINGS) return null;
      const mayBeCovered = found.mayBeCovered || stylesheet?.isCut === true || outlookMayHide(html);
      return mayBeCovered || found.moved.size > 0 ? { ...found, mayBeCovered } : null;
    },
    get isSkipped() {
      return current.isSkipped;
    },
  };
};
