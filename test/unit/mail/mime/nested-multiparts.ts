/** So many multiparts, each within the one before it, up to where the header of a part in the last one begins. */
export const nested = (depth: number, name = 'b'): string =>
  Array.from(
    { length: depth },
    (_, index) => `Content-Type: multipart/mixed; boundary=${name}${index}\r\n\r\n--${name}${index}\r\n`,
  ).join('');
