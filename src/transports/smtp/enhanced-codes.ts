/**
 * Enhanced status codes (RFC 2034, RFC 3463) of a few replies of the library, in place of those that it adds by itself.
 * Postroom's own replies include theirs.
 */

const OTHERS: readonly (readonly [code: number, text: RegExp, enhanced: string])[] = [
  [421, /unrecognized commands|unauthenticated commands|HTTP requests/, '4.7.0'],
  [421, /shutting down/, '4.3.2'],
  // RFC 4954 section 6: a response that cannot be decoded, and one that the client cancelled.
  [501, /userdata|username/, '5.5.2'],
  [501, /aborted/, '5.7.0'],
];

const CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/** Returns the text of a reply with its enhanced status code; null where the library adds one. */
export const withEnhancedCode = (code: number, text: string): string | null => {
  if (CODE.test(text)) return text;
  const other = OTHERS.find(([ofCode, pattern]) => ofCode === code && pattern.test(text));
  return other ? `${other[2]} ${text}` : null;
};
