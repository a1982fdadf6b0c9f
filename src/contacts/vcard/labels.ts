/** Labels of channels and addresses: the TYPE parameter for vCard's own words, X-ABLabel for all others. */

import type { Property } from '../../kernel/text/content-line.ts';

/** RFC 6350 sections 5.6 and 6.4.1. */
const WORDS = new Set(['home', 'work', 'cell', 'fax', 'pager']);
/** Types that do not say what a channel is for: generic ones, and defaults of older versions. */
const UNSAID = new Set([
  'internet',
  'x400',
  'pref',
  'voice',
  'msg',
  'postal',
  'parcel',
  'dom',
  'intl',
  'text',
  'video',
]);
/** Apple's form of its built-in labels. */
const APPLE = /^_\$!<(.*)>!\$_$/;

/** Types in lower case. Quotes around a list are read as the list: RFC 6350's own examples have them. */
export const readTypes = ({ parameters }: Property): string[] =>
  (parameters.get('TYPE') ?? []).flatMap((value) => value.split(',')).map((type) => type.trim().toLowerCase());

/** @param own the label given by X-ABLabel, null without one */
export const readLabel = (property: Property, own: string | null): string | null => {
  if (own !== null) return APPLE.exec(own)?.[1] ?? own;
  const types = [...new Set(readTypes(property))].filter((type) => type !== '' && !UNSAID.has(type));
  return types.length === 0 ? null : types.join(' ');
};

/** The label as values of TYPE; null where it needs an X-ABLabel. */
export const labelTypes = (label: string): string[] | null => {
  const words = label.split(' ');
  return words.every((word) => WORDS.has(word)) && new Set(words).size === words.length ? words : null;
};
