/** Computes a digest that is equal for all copies of one mail, whichever program stored them. */

import { createHash } from 'node:crypto';
import { withoutFields } from '../header/trace-fields.ts';

/** Fields in which programs keep read marks, labels and lengths in the mail itself. */
const MARKS = [
  'status',
  'x-status',
  'x-keywords',
  'x-uid',
  'x-imap',
  'x-imapbase',
  'x-mozilla-status',
  'x-mozilla-status2',
  'x-mozilla-keys',
  'x-gmail-labels',
  'x-gm-thrid',
  'content-length',
  'lines',
];
const LF = 0x0a;
const CR = 0x0d;

/** SHA-256 of a mail without those fields, its lines ended by LF, without line ends behind the last. */
export const contentDigest = (raw: Buffer): Buffer => {
  const bytes = withoutFields(raw, MARKS);
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end -= 1;
  const hash = createHash('sha256');
  let kept = 0;
  for (let at = bytes.indexOf(CR); at >= 0 && at < end; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) continue;
    hash.update(bytes.subarray(kept, at));
    kept = at + 1;
  }
  return hash.update(bytes.subarray(Math.min(kept, end), end)).digest();
};
