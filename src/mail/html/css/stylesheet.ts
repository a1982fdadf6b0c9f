/** Matches the rules of a mail's `style` elements to its elements. */

import { walkHtml } from '../walk-html.ts';
import { type Declarations, readDeclarations } from './declarations.ts';
import { fits, indexKeys, parseSelectors, type Selector, type StyledElement, toIndexKey } from './selectors.ts';
import { splitRules, withoutComments } from './tokens.ts';

interface Rule {
  selector: Selector;
  order: number;
  declarations: Declarations;
}

const MAX_RULES = 1000;

/** Properties that affect visibility or separation of text; rules without any are dropped. */
const RELEVANT =
  /display|visibility|opacity|font|color|background|height|width|overflow|position|left|top|right|bottom|inset|indent|clip|transform|margin|filter|white-space|content|\\/i;

/** A rule's own declarations, without the rules within it. */
const ownDeclarations = (body: string): string =>
  body.includes('{')
    ? splitRules(body, false)
        .flatMap((item) => (item.body === null ? [item.prelude] : []))
        .join(';')
    : body;

/** The rules that affect visibility: those outside of conditions (`@media`), with selectors that are read exactly. */
const parseRules = (sheets: readonly string[]): Rule[] => {
  const rules: Rule[] = [];
  for (const { prelude, body } of sheets.flatMap((css) => splitRules(withoutComments(css), true))) {
    if (body === null || prelude.startsWith('@')) continue;
    const block = ownDeclarations(body);
    if (!RELEVANT.test(block)) continue;
    const declarations = readDeclarations(block);
    for (const selector of parseSelectors(prelude)) {
      if (rules.length >= MAX_RULES) return rules;
      rules.push({ selector, order: rules.length, declarations });
    }
  }
  return rules;
};

/** Characters of all `style` elements; Gmail accepts 16 KB. */
const MAX_CSS = 128 * 1024;
const EVERYWHERE = /^(?:all|screen)?$/;

/** Returns the sheets of one type and without a title that hold on every screen. */
const collectStyles = (html: string): string[] => {
  const sheets: string[] = [];
  let left = MAX_CSS;
  let isSheet = false;
  walkHtml(html, {
    open: (name, attributes) => {
      const isCss = /^(?:text\/css)?$/i.test(attributes.get('type') ?? '') && !attributes.has('title');
      isSheet = name === 'style' && isCss && EVERYWHERE.test((attributes.get('media') ?? '').trim().toLowerCase());
    },
    close: () => {
      isSheet = false;
    },
    text: (text) => {
      if (!isSheet) return;
      sheets.push(text.slice(0, left));
      left -= Math.min(left, text.length);
    },
  });
  return sheets;
};

/** Returns the matching rules in ascending precedence. @param ancestors the element's own, outermost first */
type MatchRules = (element: StyledElement, ancestors: readonly StyledElement[]) => readonly Rule[];

/** Compounds and classes compared per mail, over all elements: beyond it no rule applies. */
const MAX_COMPARISONS = 2_000_000;

/** @returns null where no rule of the mail affects visibility */
export const readStylesheet = (html: string): MatchRules | null => {
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

  return (element, ancestors) => {
    if (comparisons > MAX_COMPARISONS) return [];
    return indexKeys(element)
      .flatMap((key) => byKey.get(key) ?? [])
      .filter((rule) => applies(rule, element, ancestors))
      .sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order);
  };
};
