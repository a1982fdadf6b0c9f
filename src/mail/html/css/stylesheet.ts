/** Matches the rules of a mail's `style` elements to its elements. */

import { type MayHide, parseRules, type Rule } from './rules.ts';
import { fits, indexKeys, type StyledElement, toIndexKey } from './selectors.ts';
import { collectStyles } from './style-elements.ts';

export interface Stylesheet {
  /** Returns the matching rules in ascending precedence. @param ancestors the element's own, outermost first */
  matching(element: StyledElement, ancestors: readonly StyledElement[]): readonly Rule[];
  /** Conditions of possible rules. */
  conditions: number;
  /** Whether elements with an animation may be hidden by it. */
  animationMayHide: boolean;
  /** Whether elements with an animation may cover others by it. */
  animationMayCover: boolean;
  /** Whether rules or elements exceeded the limits: then any text may be hidden. */
  readonly isCut: boolean;
}

/** Compounds and classes compared per mail, over all elements: beyond it no rule applies. */
const MAX_COMPARISONS = 2_000_000;

const DOCTYPE = /^\s{0,1000}<!doctype\s{1,9}html(?:\s{0,9}>|\s{1,9}public\s{1,9}"-\/\/w3c\/\/dtd xhtml)/i;
const NAMED_IN_CAPITALS = /[.#][\w-]{0,100}[A-Z]|\b(?:class|id)\s{0,9}=\s{0,9}["']?[^"'>]{0,1000}[A-Z]/;

/**
 * @param mayHide selects the possible rules; null for certain ones alone
 * @returns null where no rule of the mail affects visibility
 */
export const readStylesheet = (html: string, mayHide: MayHide | null): Stylesheet | null => {
  if (!/<style/i.test(html)) return null;
  const { rules, animationMayHide, animationMayCover, ...read } = parseRules(
    collectStyles(html, { withConditional: mayHide !== null }),
    mayHide,
  );
  let { isCut } = read;
  if (rules.length === 0 && !isCut && !animationMayHide) return null;
  const byKey = new Map<string, Rule[]>();
  for (const rule of rules) {
    const key = toIndexKey(rule.selector.compounds[0]);
    const others = byKey.get(key);
    if (others) others.push(rule);
    else byKey.set(key, [rule]);
  }
  // Without a document type, browsers ignore the case of classes and ids (Selectors section 6.6).
  const hasQuirks = mayHide !== null && !DOCTYPE.test(html) && NAMED_IN_CAPITALS.test(html);
  const quirks = read.conditions;
  let comparisons = 0;

  const applies = (
    { selector: { compounds } }: Rule,
    element: StyledElement,
    ancestors: readonly StyledElement[],
    ignoresCase: boolean,
  ): boolean => {
    comparisons += 1 + Math.floor(element.classes.length / 16);
    if (!fits(compounds[0], element, ignoresCase)) return false;
    let above = ancestors.length - 1;
    for (const compound of compounds.slice(1)) {
      let isFound = false;
      while (above >= 0 && !isFound) {
        const ancestor = ancestors[above] as StyledElement;
        comparisons += 1 + Math.floor(ancestor.classes.length / 16);
        isFound = fits(compound, ancestor, ignoresCase);
        above -= 1;
        if (compound.isParent) break;
      }
      if (!isFound) return false;
    }
    return true;
  };

  return {
    conditions: read.conditions + (hasQuirks ? 1 : 0),
    animationMayHide,
    animationMayCover,
    get isCut() {
      return isCut;
    },
    matching: (element, ancestors) => {
      isCut ||= comparisons > MAX_COMPARISONS;
      if (comparisons > MAX_COMPARISONS) return [];
      return indexKeys(element)
        .flatMap((key) => byKey.get(key) ?? [])
        .flatMap((rule) => {
          if (applies(rule, element, ancestors, false)) return [rule];
          if (!hasQuirks || !applies(rule, element, ancestors, true)) return [];
          return [rule.isApart ? rule : { ...rule, condition: quirks }];
        })
        .sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order);
    },
  };
};
