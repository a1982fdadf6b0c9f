/** Removes the armour of PGP clear-signed text for display (RFC 9580 section 7). */

const BEGIN = '-----BEGIN PGP SIGNED MESSAGE-----';
const SIGNATURE = '-----BEGIN PGP SIGNATURE-----';
const END = '-----END PGP SIGNATURE-----';

/** Returns the offset of the next line, from `from` on, that equals `line`; -1 without one. */
const lineAt = (text: string, line: string, from: number): number => {
  for (let at = text.indexOf(line, from); at >= 0; at = text.indexOf(line, at + 1)) {
    const isStart = at === 0 || text.charAt(at - 1) === '\n';
    const next = text.charAt(at + line.length);
    if (isStart && (next === '' || next === '\n' || next === '\r' || next === ' ')) return at;
  }
  return -1;
};

export const withoutClearSigning = (text: string): string => {
  let shown = '';
  for (let at = 0; ; ) {
    const begin = lineAt(text, BEGIN, at);
    const body = begin < 0 ? -1 : text.indexOf('\n\n', begin);
    const signature = body < 0 ? -1 : lineAt(text, SIGNATURE, body);
    const end = signature < 0 ? -1 : lineAt(text, END, signature);
    if (end < 0) return at === 0 ? text : shown + text.slice(at);
    // Removes dash escapes (section 7.2).
    const signed = text.slice(body + 2, signature).replace(/^- /gm, '');
    shown += `${text.slice(at, begin)}${signed}`;
    const lineEnd = text.indexOf('\n', end);
    at = lineEnd < 0 ? text.length : lineEnd + 1;
  }
};
