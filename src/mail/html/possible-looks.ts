/**
 * Computes the looks that a page has where rules apply that apply possibly: under each condition, and under each two of
 * them. A rule that takes effect beside others does so without them as well, and two properties at most
 * hide text together (its colour and the background; the position and the offset), so that no more need hold at once.
 */

import type { Declarations } from './css/declarations.ts';
import type { Rule } from './css/rules.ts';
import type { StyledElement } from './css/selectors.ts';
import { isTextSeen, type Look } from './visibility.ts';

/** Conditions that are tried; elements that rules of others match count as hidden. */
const MAX_CONDITIONS = 8;
/** Looks computed per mail; beyond it all text counts as hidden. */
const MAX_LOOKS = 100_000;

export interface PossibleLooks {
  /** @param look the element's look, by certain rules alone; `parent` its parent's */
  open(element: StyledElement, rules: readonly Rule[], look: Look, parent: Look): void;
  close(): void;
  /** Whether text in the innermost open element is hidden under some conditions. */
  readonly isTextHidden: boolean;
}

type ComputeLook = (element: StyledElement, rules: readonly Declarations[], parent: Look) => Look;

/** Returns each condition and each two of them. */
const combine = (conditions: number): ReadonlySet<number>[] => {
  const combined: ReadonlySet<number>[] = [];
  for (let one = 0; one < conditions; one += 1) {
    combined.push(new Set([one]));
    for (let other = 0; other < one; other += 1) combined.push(new Set([one, other]));
  }
  return combined;
};

interface Opened {
  /** By combination; null where all are the look by certain rules. */
  looks: readonly Look[] | null;
  isLost: boolean;
  /** Computed when text is met. */
  isTextHidden: boolean | null;
}

export const createPossibleLooks = (conditions: number, computeLook: ComputeLook): PossibleLooks => {
  const combinations = combine(Math.min(conditions, MAX_CONDITIONS));
  const opened: Opened[] = [];
  let current: Opened = { looks: null, isLost: false, isTextHidden: null };
  let computed = 0;

  const computeLooks = (
    element: StyledElement,
    rules: readonly Rule[],
    look: Look,
    parent: Look,
  ): readonly Look[] | null => {
    const isTouched = rules.some(({ condition }) => condition !== null);
    const { looks } = current;
    if (!isTouched && looks === null) return null;
    return combinations.map((held, index) => {
      const above = looks?.[index] ?? parent;
      if (above.hidden) return above;
      const applied = isTouched ? rules.filter(({ condition }) => condition === null || held.has(condition)) : rules;
      const isCertain = !isTouched || applied.every(({ condition }) => condition === null);
      if (isCertain && above === parent) return look;
      computed += 1;
      return computeLook(
        element,
        applied.map(({ declarations }) => declarations),
        above,
      );
    });
  };

  return {
    open: (element, rules, look, parent) => {
      opened.push(current);
      const isLost =
        current.isLost ||
        computed > MAX_LOOKS ||
        rules.some(({ condition }) => condition !== null && condition >= MAX_CONDITIONS);
      current = { looks: isLost ? null : computeLooks(element, rules, look, parent), isLost, isTextHidden: null };
    },
    close: () => {
      current = opened.pop() ?? { looks: null, isLost: false, isTextHidden: null };
    },
    get isTextHidden() {
      current.isTextHidden ??=
        current.isLost ||
        (current.looks?.some((look) => !isTextSeen(look) || look.isDoubtful || look.color === null) ?? false);
      return current.isTextHidden;
    },
  };
};
