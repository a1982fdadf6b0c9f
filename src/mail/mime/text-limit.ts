/** Bounds the octets of a message that are decoded as text. */

/**
 * Transfer-encoded octets. Ten times a large newsletter; one million characters of a text are stored and indexed.
 * Decoding takes up to forty times the memory, and the largest message has three times this size.
 */
export const MAX_TEXT_OCTETS = 8 * 1024 * 1024;

/** Limit for a message with a charset that only iconv-lite decodes: UTF-7 takes three hundred times as long as UTF-8. */
export const MAX_RARE_TEXT_OCTETS = 512 * 1024;

export const TEXT_CUT = 'text cut';

const LF = 0x0a;

/** Truncates the octets to the limit, after a whole line where there is one, and reports a defect where it does. */
export const cutText = (octets: Buffer, defects: string[]): Buffer => {
  if (octets.length <= MAX_TEXT_OCTETS) return octets;
  defects.push(TEXT_CUT);
  const lineEnd = octets.lastIndexOf(LF, MAX_TEXT_OCTETS - 1);
  return octets.subarray(0, lineEnd < 0 ? MAX_TEXT_OCTETS : lineEnd + 1);
};
