/** Formats a message for DATA (RFC 5321 sections 2.3.8 and 4.5.2). */

const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;

/** @returns the bytes with CRLF line ends, dots stuffed, and the final dot; adds a missing last line end */
export const toDataBody = (raw: Uint8Array): Buffer => {
  // One character per octet.
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  const lines = BARE_LINE_END.test(text) ? text.replace(/\r\n|\r|\n/g, '\r\n') : text;
  const end = lines === '' || lines.endsWith('\n') ? '.\r\n' : '\r\n.\r\n';
  return Buffer.from(`${lines.replace(/^\./gm, '..')}${end}`, 'latin1');
};
