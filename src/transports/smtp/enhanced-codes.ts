/** Enhanced status codes (RFC 2034, RFC 3463) for the library's replies; Postroom's own replies include theirs. */

/** By the reply code alone. */
const BY_CODE: Readonly<Record<number, string>> = {
  220: '2.0.0',
  221: '2.0.0',
  235: '2.7.0',
  421: '4.3.2',
  451: '4.3.0',
  452: '4.3.1',
  500: '5.5.2',
  501: '5.5.4',
  502: '5.5.1',
  503: '5.5.1',
  504: '5.5.4',
  530: '5.7.0',
  535: '5.7.8',
  538: '5.7.11',
  550: '5.7.1',
  552: '5.3.4',
  553: '5.1.3',
  554: '5.5.0',
  555: '5.5.4',
};

/** Exceptions to BY_CODE, by the reply's text. */
const BY_TEXT: readonly (readonly [code: number, text: RegExp, enhanced: string])[] = [
  [421, /unrecognized commands|unauthenticated commands|HTTP requests/, '4.7.0'],
  [421, /timeout/i, '4.4.2'],
  [452, /too many recipients/, '4.5.3'],
  [501, /sender address/, '5.1.7'],
  [501, /recipient address/, '5.1.3'],
  // RFC 4954 section 6: a response that cannot be decoded, and one that the client cancelled.
  [501, /userdata|username/, '5.5.2'],
  [501, /aborted/, '5.7.0'],
];

/** The library's contexts for the commands that a 250 answers. */
const BY_COMMAND: Readonly<Record<string, string>> = {
  MAIL_FROM_OK: '2.1.0',
  RCPT_TO_OK: '2.1.5',
  DATA_OK: '2.6.0',
};

const CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/** Whether a reply's text begins with an enhanced status code. */
export const hasEnhancedCode = (text: string): boolean => CODE.test(text);

/**
 * @param context the library's hint; for a refused command the command's name, which is the client's input
 * @returns null for a reply without a code: the greeting, the reply to EHLO, 3yz
 */
export const enhancedCodeFor = (code: number, text: string, context: string | false | undefined): string | null => {
  if (context === false || (code >= 300 && code < 400)) return null;
  const known = BY_TEXT.find(([ofCode, pattern]) => ofCode === code && pattern.test(text))?.[2] ?? BY_CODE[code];
  if (code === 250) return (context && BY_COMMAND[context]) || '2.0.0';
  return known ?? `${Math.floor(code / 100)}.0.0`;
};
