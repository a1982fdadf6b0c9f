/**
 * Parses rules as far as they affect visibility. Certain are rules outside of conditions (`@media`) whose selectors are
 * read exactly; all others are possible, and hold under a condition.
 */

import { COVER, type Declarations, DOUBT, readDeclarations, withoutEscapes } from './declarations.ts';
import { parseSelectors, type Selector, toPossible } from './selectors.ts';
import type { StyleElements } from './style-elements.ts';
import { splitRules, withoutComments } from './tokens.ts';

export interface Rule {
  selector: Selector;
  order: number;
  declarations: Declarations;
  /** Number of what must hold for it to apply; null for a certain rule. */
  condition: number | null;
  /** Whether it hides nothing by itself, or is for generated content: what it paints or moves may do so to words beside. */
  isApart: boolean;
}

export interface ParsedRules {
  rules: Rule[];
  /** Number of conditions. */
  conditions: number;
  /** Whether elements with an animation may be hidden by it. */
  animationMayHide: boolean;
  /** Whether elements with an animation may cover others by it. */
  animationMayCover: boolean;
  /** Whether rules were left out that may hide text. */
  isCut: boolean;
}

/** Selects the possible rules that are kept. */
export type MayHide = (declarations: Declarations) => boolean;

const MAX_RULES = 1000;
/** Depth of rules within rules. */
const MAX_DEPTH = 8;

/** Properties that affect visibility or separation of text; rules without any are dropped. */
const RELEVANT =
  /display|visibility|opacity|font|color|background|height|width|overflow|position|left|top|right|bottom|inset|indent|clip|transform|margin|filter|white-space|mask|animation|scale|zoom|translate|spacing|unicode|content|security|\\/i;
/** Properties that paint over words or move them. */
const LAYING = /float|clear|padding|border|direction|box-sizing/i;
const EVERYWHERE = /^(?:all|screen)?$/;
/** Media that mail is not read on. */
const ELSEWHERE = /^(?:only )?(?:print|speech|aural|braille|embossed|tty)(?: and [^,]*)?$/;
/** At-rules without rules for elements. */
const NO_RULES = /^@(?:font-face|charset|namespace|page|counter-style|font-feature-values|property|-ms-viewport)\b/;
const ODD_FONT = /size-adjust|-override|local\([^)]{0,100}(?:dings|symbol|dingbats|marlett|blank|barcode|redacted)|\\/i;
const KEYFRAMES = /^@(?:-\w+-)?keyframes\b/;

/** Where a rule stands: its conditions, and the selectors of the rule that it is nested in. */
interface Place {
  condition: string;
  /** Whether its precedence follows from its selector: `@layer` and `@scope` change it. */
  isRanked: boolean;
  parent: string | null;
  depth: number;
}

/** @param mayHide null where certain rules alone are wanted */
export const parseRules = ({ styles, isCut }: StyleElements, mayHide: MayHide | null): ParsedRules => {
  const parsed: ParsedRules = { rules: [], conditions: 0, animationMayHide: false, animationMayCover: false, isCut };
  const conditions = new Map<string, number>();

  const toCondition = (key: string): number => {
    const known = conditions.get(key) ?? conditions.size;
    conditions.set(key, known);
    parsed.conditions = conditions.size;
    return known;
  };

  const addRule = (list: string, block: string, { condition, isRanked, parent }: Place): void => {
    const isRelevant = RELEVANT.test(block) || (mayHide !== null && LAYING.test(block));
    if (!isRelevant && mayHide === null) return;
    const declarations = readDeclarations(block, mayHide !== null);
    if (!isRelevant && !declarations.has(DOUBT)) return;
    for (const read of parseSelectors(list)) {
      const isBeside = read.isGenerated === true || read.isVisited === true;
      const selector = (isRanked && parent === null) || read.isVisited ? read : toPossible(read.compounds);
      const isCertain = selector.isExact && condition === '';
      if (!isCertain && mayHide === null) continue;
      const isApart = isBeside || (!isCertain && !mayHide?.(declarations));
      if (parsed.rules.length >= MAX_RULES) {
        parsed.isCut = true;
        return;
      }
      parsed.rules.push({
        selector,
        order: parsed.rules.length,
        declarations,
        condition: isCertain || isApart ? null : toCondition(selector.isExact ? condition : `${condition}|${list}`),
        isApart,
      });
    }
  };

  const parse = (css: string, place: Place): void => {
    for (const { prelude, body } of splitRules(css, place.depth === 0)) {
      if (body === null) continue;
      const name = prelude.toLowerCase().replace(/\s+/g, ' ');
      const isAtRule = name.startsWith('@');
      const media = /^@media\b ?(.*)$/.exec(name)?.[1];
      // A font of another name or size may show other signs, or none, for the words of the mail.
      if (mayHide !== null && name === '@font-face' && ODD_FONT.test(body)) parsed.isCut = true;
      if (isAtRule && (mayHide === null || NO_RULES.test(name) || ELSEWHERE.test(media ?? ''))) continue;
      if (KEYFRAMES.test(withoutEscapes(name))) {
        const frames = splitRules(body, false).map((frame) => readDeclarations(frame.body ?? '', mayHide !== null));
        parsed.animationMayHide ||= frames.some((frame) => mayHide?.(frame));
        parsed.animationMayCover ||= frames.some((frame) => frame.has(COVER));
        continue;
      }
      const items = body.includes('{') ? splitRules(body, false) : null;
      const own = items?.filter((item) => item.body === null).map((item) => item.prelude);
      const block = own?.join(';') ?? body;
      const inner: Place = isAtRule
        ? {
            condition: `${place.condition}${name}`,
            isRanked: place.isRanked && media !== undefined,
            parent: place.parent,
            depth: place.depth + 1,
          }
        : { ...place, parent: prelude, depth: place.depth + 1 };
      if (!isAtRule) addRule(prelude, block, place);
      // A condition within a rule has declarations of its own.
      else if (place.parent !== null) addRule(place.parent, block, inner);
      if (mayHide === null || !items) continue;
      if (place.depth >= MAX_DEPTH) parsed.isCut = true;
      else parse(body, inner);
    }
  };

  for (const { css, condition } of styles) {
    if (ELSEWHERE.test(condition)) continue;
    if (mayHide === null && !EVERYWHERE.test(condition)) continue;
    const place = { condition: EVERYWHERE.test(condition) ? '' : condition, isRanked: true, parent: null, depth: 0 };
    parse(withoutComments(css), place);
  }
  return parsed;
};
