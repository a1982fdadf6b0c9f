/** Derives a mail's `spam_verdict` from authentication, DNSBLs and scanner. */

import type { Authentication } from '../mail/auth/authenticate-message.ts';

export type SpamVerdict = 'PASS' | 'FAIL' | 'UNKNOWN';

export interface ContentResults {
  /** The scanner's action, which overrides all else; a null verdict: no answer. Null: no scanner is configured. */
  scanner: { verdict: 'PASS' | 'FAIL' | null } | null;
  /** The DNSBLs that list the client's address. */
  listedIn: readonly string[];
}

export const toSpamVerdict = (
  { spf, dmarc, dmarcPolicy, aligned, dkim }: Authentication,
  contentResults: ContentResults,
): SpamVerdict => {
  if (contentResults.scanner) return contentResults.scanner.verdict ?? 'UNKNOWN';
  if (dmarc === 'fail' && (dmarcPolicy === 'quarantine' || dmarcPolicy === 'reject')) return 'FAIL';
  if (spf === 'fail' && !(dkim === 'pass' && aligned)) return 'FAIL';
  if (contentResults.listedIn.length > 0) return 'FAIL';
  return aligned ? 'PASS' : 'UNKNOWN';
};
