/** Finds one-time codes in mail from services: short tokens close to a term for a code. */

import { isNumbered, isOtherCode, NAMING_UNPARTED, namesCode } from './code-words.ts';
import { WEB_ADDRESS } from './web-address.ts';

/** Characters that are searched; codes are near the top. Every step below is linear in this. */
const MAX_TEXT = 64 * 1024;
const MAX_CODES = 10;
/** Maximum characters between a code and its term. */
const NEAR = 120;
const NEAR_LETTERS = 60;

const ADDRESS = new RegExp(`${WEB_ADDRESS}|(?<![\\w.+-])[\\w.+-]+@[\\w.-]{1,253}`, 'gi');
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Digits, in groups or separated one by one. */
const DIGITS =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_.,/$€£¥₹#+@%-])(?<!\d:)(?:\d{4,8}|\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d{2} \d{2} \d{2}|\d(?:[ \t|]{1,3}\d){3,7})(?![\w/%@$€£¥]|[.,:-]\d)/gu;
/** Capitals and digits, with or without a hyphen. */
const LETTERS =
  /(?<![\p{L}\p{N}_./#@-])(?:[A-Z]{1,4}-\d{3,8}|(?=[A-Z]{0,7}\d)(?=\d{0,7}[A-Z])[A-Z0-9]{5,8}|[A-Z0-9]{3,5}-[A-Z0-9]{3,5})(?![\w/@-])/gu;
/** For the place right behind a term alone: letters with digits in any case (`24hrs` is none), and Gmail's nine digits. */
const ANY_CASE =
  /(?<![\p{L}\p{N}_./#@-])(?:\d{9}|(?!\d+[a-z]+\b)(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,8})(?![\w/@-]|\.\w)/gu;
const SAID_GAP = /[:：\n\p{L}]/u;
/** Alone on a line: in any case, in groups with hyphens, or of capitals, which are consonants so that no code is a word. */
const ALONE =
  /(?<=\n[ \t]{0,8})(?:(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,8}|[a-z0-9]{3,5}(?:-[a-z0-9]{3,5}){1,3}|[B-DF-HJ-NP-TV-Z]{5,8})(?=[ \t]{0,8}(?:\n|$))/g;
/** Between a term and what stands alone: the rest of one sentence, which ends with a colon. */
const INTRODUCED = /^(?:[^:：\n]|\n(?!\s*\n))*[:：]\s*$/;

/** Separators between a term and a directly following code: in that position even a year counts as a code. */
const DIRECT =
  /^[\s:：=|*"'“”«»„>()[\]–-]{0,12}(?:(?:is|are|lautet|ist|es|est|é|è|är|er|on|je|jest|là|adalah|คือ|هو|هي|הוא|है|は|が|为|為|是|은|는|to|of)[\s:：=*"'“”«»]{1,6})?$/iu;
const AMOUNT_BEFORE = /(?:usd|eur|gbp|chf|inr|jpy|cad|aud|rs\.?|r\$|kr\.?|sek|nok|dkk|pln|czk|rp\.?|rm|฿|₫|₩|₺|₽)\s?$/i;
const AMOUNT_BEHIND =
  /^\s?(?:usd|eur|gbp|chf|jpy|inr|sek|nok|dkk|pln|czk|kr\b|zł|kč|ft\b|lei|tl\b|руб|₽|₺|₩|₫|₹|฿|€|\$|£|¥|円|元|원|บาท|đ\b|dollars?|euros?|points?|punkte|puntos|users?|people|minut\p{L}*|hours?|stunden|heures|horas|days?|tage|jours|días|km|kb|mb|gb|px|st\b|street|avenue|road|rue\b|分|時間|小时|시간|분)/iu;
const YEAR = /^(?:19|20)\d{2}$/;
const DATE = /^(?:(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])|(?:[0-2]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d{2})$/;
/** Postcodes precede or follow a place: `75001 Paris`, `D-10115 Berlin`, `CA 94105`, `Mumbai 400001`. */
const PLACE_BEHIND = /^[ ,]{1,2}\p{Lu}\p{Ll}{2,}/u;
const PLACE_BEFORE = /(?:\b[A-Z]{2}|,? \p{Lu}\p{Ll}{3,}[,-]?) $/u;
const POSTCODE = /^\d{4,6}$/;
/** Promotions use "code" as well: mail that matches needs a more specific term. */
const SHOP = /discount|coupon|promo|voucher|gift card|% off|rabatt|gutschein|réduction|descuento|sconto|korting/i;
const PLAIN =
  /otp|one[- ]time|verif|passcode|2fa|mfa|security|log[- ]?in|sign[- ]?in|authenticat|bestätig|sicherheit|vérif|sécurité|seguridad|sicurezza|einmal|验证|認証|인증/i;
const MORE_DIGITS_BEFORE = /[\d)][ .-]$/;
const MORE_DIGITS_BEHIND = /^[ .-]\(?\d/;
/** Instructions to enter a number for a purpose: the one pattern without a term for a code. */
const ENTER = /(?:enter|type(?: in)?|input|use)[ :]{1,2}$/i;
const PURPOSE =
  /^[ ,]{1,2}(?:when prompted|to (?:sign|log|verify|confirm|continue|complete|finish|access|unlock|proceed))/i;

/** Maps digits of other scripts to ASCII, and bidirectional marks to blanks. Offsets stay the same. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];
const withPlainDigits = (text: string): string =>
  text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code - (ZEROS.findLast((zero) => zero <= code) ?? code));
    })
    .replace(/[\u00a0\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ');

interface Name {
  start: number;
  end: number;
}

/** Locates the terms for codes, in order; `others` are terms for other kinds of code. */
const findNames = (text: string): { names: Name[]; others: Name[] } => {
  const found = [
    ...[...text.matchAll(WORD)].filter(([word]) => namesCode(word)),
    ...text.matchAll(NAMING_UNPARTED),
  ].map(({ index, 0: word }) => ({ start: index, end: index + word.length }));
  const isOther = ({ start, end }: Name): boolean =>
    isOtherCode(text.slice(Math.max(0, start - 24), start), text.slice(end, end + 32));
  found.sort((a, b) => a.start - b.start);
  return { names: found.filter((name) => !isOther(name)), others: found.filter(isOther) };
};

/** Returns the last term that begins before an offset, and the first after it (binary search). */
const findNamesAround = (names: readonly Name[], place: number): [Name | undefined, Name | undefined] => {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle]?.start ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return [names[low - 1], names[low]];
};

const isCode = (text: string, token: string, start: number, isDirect: boolean): boolean => {
  const end = start + token.length;
  const before = text.slice(Math.max(0, start - 40), start);
  const after = text.slice(end, end + 24);
  if (MORE_DIGITS_BEFORE.test(before) || MORE_DIGITS_BEHIND.test(after)) return false;
  const digits = token.replace(/[ \t|-]/g, '');
  if (DATE.test(digits)) return false;
  if (isDirect) return !AMOUNT_BEHIND.test(after);
  if (isNumbered(before) || AMOUNT_BEFORE.test(before) || AMOUNT_BEHIND.test(after)) return false;
  if (POSTCODE.test(token) && (PLACE_BEHIND.test(after) || PLACE_BEFORE.test(before))) return false;
  return !YEAR.test(digits);
};

const TOKENS = [
  { pattern: DIGITS, distance: NEAR, isAlone: false },
  { pattern: LETTERS, distance: NEAR_LETTERS, isAlone: false },
  { pattern: ANY_CASE, distance: 0, isAlone: false },
  { pattern: ALONE, distance: 0, isAlone: true },
];

const findCodesIn = (source: string): string[] => {
  const text = withPlainDigits(source.slice(0, MAX_TEXT)).replace(ADDRESS, (address) => ' '.repeat(address.length));
  const tokens = TOKENS.flatMap(({ pattern, ...near }) =>
    Array.from(text.matchAll(pattern), ({ index: start, 0: token }) => ({ token, start, ...near })),
  );
  // Most mail ends here: the terms are dearer to find.
  if (tokens.length === 0 || (SHOP.test(text) && !PLAIN.test(text))) return [];
  const { names, others } = findNames(text);
  const isFound = ({ token, start, distance, isAlone }: (typeof tokens)[number]): boolean => {
    const end = start + token.length;
    const [before, after] = findNamesAround(names, start);
    const isDirectly = (name: Name | undefined): boolean =>
      name !== undefined && start - name.end <= 24 && DIRECT.test(text.slice(name.end, start));
    if (isDirectly(findNamesAround(others, start)[0])) return false;
    const isNear =
      (before !== undefined && start - before.end <= distance) ||
      (after !== undefined && after.start - end <= distance);
    const isEntered = ENTER.test(text.slice(Math.max(0, start - 12), start)) && PURPOSE.test(text.slice(end, end + 24));
    const isDirect = isDirectly(before);
    const gap = before !== undefined && start - before.end <= NEAR ? text.slice(before.end, start) : '';
    const isSaid = (isDirect && SAID_GAP.test(gap)) || (isAlone && INTRODUCED.test(gap));
    return (isNear || isEntered || isSaid) && isCode(text, token, start, isDirect);
  };
  const found: typeof tokens = [];
  for (const token of tokens) if (found.length < 4 * MAX_CODES && isFound(token)) found.push(token);
  return found.sort((a, b) => a.start - b.start).map(({ token }) => token.replace(/[ \t|]+/g, ''));
};

/**
 * Finds the one-time codes of a message, each once; those of the subject first.
 * @param texts the texts of the message
 * @returns at most 10: 4 to 8 digits with the blanks between them removed, capitals with digits such as `ABC-123`, or `vM8xw`, `f4dk2-9dk3k` and nine digits where their term says so
 */
export const findCodes = (texts: readonly string[], subject: string): string[] =>
  [...new Set([subject, ...texts].flatMap(findCodesIn))].slice(0, MAX_CODES);
