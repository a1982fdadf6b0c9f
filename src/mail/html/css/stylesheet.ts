/** Matches the rules of a mail's `style` elements to its elements. */

import { parseRules, type Rule } from './rules.ts';
import { fits, indexKeys, type StyledElement, toIndexKey } from './selectors.ts';
import { collectStyles } from './style-elements.ts';

export interface Stylesheet {
  /** Returns the matching rules in ascending precedence. @param ancestors the element's own, outermost first */
  matching(element: StyledElement, ancestors: readonly StyledElement[]): readonly Rule[];
}

/** Compounds and classes compared per mail, over all elements: beyond it no rule applies. */
const MAX_COMPARISONS = 2_000_000;

/** @returns null where no rule of the mail affects visibility */
export const readStylesheet = (html: string): Stylesheet | null => {
  if (!/<style/i.test(html)) return null;
  const rules = parseRules(collectStyles(html));
  if (rules.length === 0) return null;
  const byKey = new Map<string, Rule[]>();
  for (const rule of rules) {
    const key = toIndexKey(rule.selector.compounds[0]);
    const others = byKey.get(key);
    if (others) others.push(rule);
    else byKey.set(key, [rule]);
  }
  let comparisons = 0;

  const applies = (
    { selector: { compounds } }: Rule,
    element: StyledElement,
    ancestors: readonly StyledElement[],
  ): boolean => {
    comparisons += 1 + Math.floor(element.classes.length / 16);
    if (!fits(compounds[0], element)) return false;
    let above = ancestors.length - 1;
    for (const compound of compounds.slice(1)) {
      let isFound = false;
      while (above >= 0 && !isFound) {
        const ancestor = ancestors[above] as StyledElement;
        comparisons += 1 + Math.floor(ancestor.classes.length / 16);
        isFound = fits(compound, ancestor);
        above -= 1;
        if (compound.isParent) break;
      }
      if (!isFound) return false;
    }
    return true;
  };

  return {
    matching: (element, ancestors) => {
      if (comparisons > MAX_COMPARISONS) return [];
      return indexKeys(element)
        .flatMap((key) => byKey.get(key) ?? [])
        .filter((rule) => applies(rule, element, ancestors))
        .sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order);
    },
  };
};
