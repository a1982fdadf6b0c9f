/** Tells links, and lines across words, whose colour may be that of what is behind them. */

import { readColor, readLegacyColor } from '../colors.ts';
import type { Rule } from '../css/rules.ts';
import { isTextSeen, type Look } from '../visibility.ts';
import type { ElementStyles } from './element-styles.ts';

/** The colour of the link once it was visited, where rules set one that its own styles do not override. */
const visitedColor = ({ attributes }: ElementStyles, rules: readonly Rule[]): string | null => {
  const colors = rules.flatMap(({ selector, declarations }) => {
    const color = selector.isVisited ? declarations.get('color') : undefined;
    return color ? [color] : [];
  });
  const last = colors.findLast(({ important }) => important) ?? colors.at(-1);
  if (!last) return null;
  const isOverridden =
    !last.important &&
    (/(?:^|[\s;])color\s{0,9}:/i.test(attributes.get('style') ?? '') ||
      rules.some(({ selector, declarations }) => !selector.isVisited && declarations.get('color')?.important));
  return isOverridden ? null : last.value;
};

/** @param linkColors of the page, as its attributes give them */
export const mayBeUnreadLink = (
  element: ElementStyles,
  rules: readonly Rule[],
  look: Look,
  linkColors: readonly string[],
): boolean => {
  if (element.name !== 'a' || !element.attributes.has('href')) return false;
  const colors = element.isSet('color') ? [] : linkColors.map((color) => readLegacyColor(color) ?? null);
  const visited = visitedColor(element, rules);
  if (visited !== null && !/^(?:inherit|unset|currentcolor)$/.test(visited)) colors.push(readColor(visited));
  return colors.some((color) => color === null || !isTextSeen({ ...look, color }));
};

const STRUCK: ReadonlySet<string> = new Set(['s', 'strike', 'del']);

/** Whether a line across its words has a colour of its own. */
export const isStruckOut = ({ name, values }: ElementStyles): boolean => {
  const colors = values('text-decoration-color', '-webkit-text-decoration-color');
  if (colors.every((color) => /^(?:currentcolor|inherit|initial|unset)$/.test(color))) return false;
  const isLine = values('text-decoration', 'text-decoration-line').some((line) => line.includes('line-through'));
  return STRUCK.has(name) || isLine;
};
