/** Conversions between the domain's values and their stored form. */

export const toFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Replaces U+0000 by U+FFFD: PostgreSQL stores no text with it, and SQLite's functions end at it. */
export const toText = <V extends string>(text: V): V =>
  text.includes('\0') ? (text.replaceAll('\0', '\ufffd') as V) : text;
