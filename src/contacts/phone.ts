/** Converts phone numbers to E.164 where possible. There is no default country: only `+` and `00` state one. */

import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { toNormalForm } from '../kernel/text/normal-form.ts';

/** Longer text is no phone number; libphonenumber itself stops at 250. */
const MAX_CHARS = 100;
/** `+`, also in full width, or the international prefix of most countries (ITU-T E.164). */
const INTERNATIONAL = /^\s*(?:\(\s*)?(?:[+\uff0b]|00(?=[\s\d().-]*[1-9]))/;

const parse = (text: string) => {
  if (text.length > MAX_CHARS || !INTERNATIONAL.test(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text.replace(INTERNATIONAL, '+'), { extract: false });
  return parsed?.isPossible() ? parsed : undefined;
};

/** `+41446681800`; null without a known country, or with a length that it does not use. Leaves out an extension. */
export const toE164 = (text: string): string | null => parse(text)?.number ?? null;

/**
 * The form for comparison: E.164 with its extension, as `+14186569254;ext=102`, else the digits alone, in ASCII. Empty
 * without a digit.
 */
export const phoneKey = (text: string): string => {
  const parsed = parse(text);
  if (parsed) return parsed.ext ? `${parsed.number};ext=${parsed.ext}` : parsed.number;
  return toNormalForm(text.slice(0, MAX_CHARS), 'NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[^0-9]/g, '');
};

/** Whether {@link phoneKey} finds any; that takes some 20 µs. */
export const hasDigit = (text: string): boolean => /\p{Nd}/u.test(toNormalForm(text.slice(0, MAX_CHARS), 'NFKC'));

/** Decimal digits come in runs of ten, each from its zero on. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
};
