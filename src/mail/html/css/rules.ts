/**
 * Parses the rules that affect visibility: those outside of conditions (`@media`), with selectors that are read
 * exactly.
 */

import { type Declarations, readDeclarations } from './declarations.ts';
import { parseSelectors, type Selector } from './selectors.ts';
import { splitRules, withoutComments } from './tokens.ts';

export interface Rule {
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

export const parseRules = (sheets: readonly string[]): Rule[] => {
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
