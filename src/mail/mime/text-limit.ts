/** How much of a message is decoded as text. */

/**
 * Octets as they came, transfer encoding and all. A newsletter has a tenth of it; what is kept and indexed of a text is one
 * million characters. Decoding takes up to forty times the memory, and the largest message is three times as large.
 */
export const MAX_TEXT_OCTETS = 8 * 1024 * 1024;

/** Of a message with text in a charset that only the MIME library knows, UTF-7 say: its decoders take a hundred times as long. */
export const MAX_RARE_TEXT_OCTETS = 512 * 1024;

export const TEXT_CUT = 'text cut';

const LF = 0x0a;

/** At most so much of the octets, whole lines where there are any, with a defect where that is not all of them. */
export const cutText = (octets: Buffer, defects: string[]): Buffer => {
  if (octets.length <= MAX_TEXT_OCTETS) return octets;
  defects.push(TEXT_CUT);
  const lineEnd = octets.lastIndexOf(LF, MAX_TEXT_OCTETS - 1);
  return octets.subarray(0, lineEnd < 0 ? MAX_TEXT_OCTETS : lineEnd + 1);
};
