/** The form of a web address in plain text, as the source of a regular expression: linear, for the flags `g` and `i`. */

/** Letters of scripts without blanks between words: beside an address they are its sentence's, written without a blank. */
const UNPARTED = '\\u0e00-\\u0e7f\\u1100-\\u11ff\\u3041-\\u30ff\\u3130-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff';
/** Punctuation of those scripts, other quotation marks, and characters that are not seen. */
const ENDS =
  '\\u3000-\\u3040\\uff00-\\uffef\\u00ab\\u00bb\\u2018-\\u201f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';
const OCTET = `[^\\s<>"'\`\\\\^{|}()[\\]${UNPARTED}${ENDS}]`;
/** A step of a path in such a script, which ends where an address does, or a file's name. */
const STEP = `(?<=[/=_-])[${UNPARTED}]{1,100}(?=[\\s/?#&<>()[\\]"'_-]|\\.[a-z\\d]|$)`;
/** A host in such a script, and its last label. */
const LABELS = `(?:[\\w${UNPARTED}-]{1,63}\\.){0,8}`;
const LAST_LABEL = `(?<=[${UNPARTED}]\\.)[${UNPARTED}]{1,63}(?=[\\s/:?#<>()[\\]"']|$)`;

/** Brackets are of the address where they close in it: `/wiki/Rome_(city)`, `?a[]=1`. */
const BRACKETS = `\\(${OCTET}{0,500}\\)|\\[${OCTET}{0,500}\\]|(?<=_)\\([${UNPARTED}]{1,100}\\)`;

export const WEB_ADDRESS = `https?://${LABELS}(?:${OCTET}|${STEP}|${LAST_LABEL}|${BRACKETS}){1,2048}`;
