/** One-time codes in mail that a service sent: short tokens close to a word that says what they are. */

export { findLinks } from './links.ts';

/** A code stands near the top; every pattern below is linear in this. */
const MAX_TEXT = 64 * 1024;
const MAX_CODES = 10;
/** Characters between a code and the word that names it. */
const NEAR = 120;
const NEAR_LETTERS = 60;

const KEYWORD =
  /\b(?:codes?|otp|one[- ]time|verification|verify|pin|passcode|password|2fa|mfa|tan|token|bestätigungscode|sicherheitscode|einmalcode|código|codice|kod|kode|koodi)\b|验证码|驗證碼|認証コード|인증|код/giu;
/** Codes of another kind: what stands right before the word, or right behind it. */
const OTHER =
  'zip|postal|post|promo|promotional|discount|coupon|voucher|gift|referral|error|status|exit|source|country|area|dialling|dress|bar|qr|swift|sort|colou?r|product|article|tracking|booking';
const OTHER_CODE = new RegExp(`(?:${OTHER})[ -]?$`, 'i');
const OTHER_DIRECT = new RegExp(`(?:${OTHER})[ -]?codes?\\W{0,8}$`, 'i');
const OTHER_BEHIND = /^ (?:of (?:conduct|ethics|practice)|review|base|snippet|sample|block|freeze)/i;

const URL = /https?:\/\/\S{1,2048}|\b[\w.+-]{1,64}@[\w.-]{1,253}/gi;

/** Digits alone, in one or two groups. */
const DIGITS = /(?<![\w.,:/$€£¥#+@%*-])(?:\d{4,8}|\d{3}[ -]\d{3}|\d{4}[ -]\d{4})(?![\w/%@$€£¥]|[.,:-]\d)/g;
/** Capitals and digits, with a hyphen or without. */
const LETTERS =
  /(?<![\w./#@-])(?:[A-Z]{1,4}-\d{3,8}|(?=[A-Z]{0,7}\d)(?=\d{0,7}[A-Z])[A-Z0-9]{5,8}|[A-Z0-9]{3,5}-[A-Z0-9]{3,5})(?![\w/@-])/g;

/** What a number is that is no code, said right before it. */
const NUMBERED =
  /(?:order|invoice|ticket|case|reference|ref|receipt|tracking|account|customer|booking|confirmation number|number|no\.?|nr\.?|phone|tel|fax|call|text|ending in|ending|suite|room|flight|version|build|article|item|sku|box|copyright|©|\(c\)|since|in|year|street)[ .:#]{0,4}$/i;
const AMOUNT_BEHIND =
  /^\s?(?:usd|eur|gbp|chf|jpy|dollars?|euros?|points?|users?|people|minutes?|hours?|days?|km|kb|mb|gb|px|st\b|street|avenue|road)/i;
/** Said so directly that even a year is a code. */
const DIRECT = /(?:code|pin|otp|passcode|password|код|验证码)(?: is| lautet| ist| es)?\s?[:：=]?\s{0,4}$/i;
const YEAR = /^(?:19|20)\d{2}$/;
const DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/;
/** A shop's codes are "codes" as well: then a plainer word is wanted. */
const SHOP = /discount|coupon|promo|voucher|gift card|% off/i;
const PLAIN = /otp|one[- ]time|verif|passcode|2fa|mfa|security|log[- ]?in|sign[- ]?in|authenticat|bestätig|验证|認証/i;
const MORE_DIGITS_BEFORE = /[\d)][ .-]$/;
const MORE_DIGITS_BEHIND = /^[ .-]\(?\d/;

const keywordsIn = (text: string): number[] => {
  const places: number[] = [];
  for (const { index, 0: word } of text.matchAll(KEYWORD)) {
    const other = /^codes?$/i.test(word) && OTHER_CODE.test(text.slice(Math.max(0, index - 14), index));
    if (!other && !OTHER_BEHIND.test(text.slice(index + word.length, index + word.length + 20))) {
      places.push(index, index + word.length);
    }
  }
  return places;
};

const isNear = (places: number[], start: number, end: number, distance: number): boolean => {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const before = places[low - 1];
  const behind = places[low];
  return (before !== undefined && start - before <= distance) || (behind !== undefined && behind - end <= distance);
};

const isCode = (text: string, token: string, start: number): boolean => {
  const before = text.slice(Math.max(0, start - 32), start);
  const behind = text.slice(start + token.length, start + token.length + 12);
  if (DATE.test(token) || OTHER_DIRECT.test(before)) return false;
  if (DIRECT.test(before)) return !MORE_DIGITS_BEHIND.test(behind);
  if (MORE_DIGITS_BEFORE.test(before) || MORE_DIGITS_BEHIND.test(behind)) return false;
  return !(YEAR.test(token) || NUMBERED.test(before) || AMOUNT_BEHIND.test(behind));
};

const codesIn = (text: string): string[] => {
  const plain = text.slice(0, MAX_TEXT).replace(URL, (address) => ' '.repeat(address.length));
  const places = keywordsIn(plain);
  if (places.length === 0 || (SHOP.test(plain) && !PLAIN.test(plain))) return [];
  const found: { code: string; start: number }[] = [];
  for (const [pattern, distance] of [
    [DIGITS, NEAR],
    [LETTERS, NEAR_LETTERS],
  ] as const) {
    for (const { index, 0: code } of plain.matchAll(pattern)) {
      if (found.length >= 4 * MAX_CODES) break;
      if (isNear(places, index, index + code.length, distance) && isCode(plain, code, index)) {
        found.push({ code, start: index });
      }
    }
  }
  return found.sort((a, b) => a.start - b.start).map(({ code }) => code);
};

/**
 * The one-time codes of a message, as written, each once; those of the subject first.
 * @returns at most 10: 4 to 8 digits, also in two groups, or capitals with digits such as `ABC-123`
 */
export const findCodes = (text: string, subject: string): string[] =>
  [...new Set([...codesIn(subject), ...codesIn(text)])].slice(0, MAX_CODES);
