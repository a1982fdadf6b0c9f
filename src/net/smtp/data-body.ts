/** Formats a message for DATA (RFC 5321 sections 2.3.8 and 4.5.2). */

import { asBuffer, withSmtpLineEnds } from '../../kernel/text/octets.ts';

/** @returns the bytes with CRLF line ends, dots stuffed, and the final dot; adds a missing last line end */
export const toDataBody = (raw: Uint8Array): Buffer => {
  const lines = withSmtpLineEnds(asBuffer(raw).toString('latin1'));
  const end = lines === '' || lines.endsWith('\n') ? '.\r\n' : '\r\n.\r\n';
  return Buffer.from(`${lines.replace(/^\./gm, '..')}${end}`, 'latin1');
};
