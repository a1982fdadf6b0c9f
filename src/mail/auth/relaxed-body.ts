/** Computes the relaxed form of a body (RFC 6376 section 3.4.4) octet by octet: linear in time and memory for any input. */

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/** @param body with CRLF; a bare CR is content */
export const relaxedBody = (body: Buffer): Buffer => {
  // The result is never longer than the body, except for an added final line end.
  const relaxed = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  /** The end of the last line that is not empty. */
  let end = 0;
  let isBlank = false;
  for (let at = 0; at < body.length; at += 1) {
    const octet = body[at] as number;
    if (octet === SPACE || octet === TAB) {
      isBlank = true;
    } else if (octet === CR && body[at + 1] === LF) {
      relaxed[length++] = CR;
      relaxed[length++] = LF;
      at += 1;
      isBlank = false;
    } else {
      if (isBlank) relaxed[length++] = SPACE;
      isBlank = false;
      relaxed[length++] = octet;
      end = length;
    }
  }
  if (end === 0) return relaxed.subarray(0, 0);
  relaxed[end] = CR;
  relaxed[end + 1] = LF;
  return relaxed.subarray(0, end + 2);
};
