/** What a mail's `spam_verdict` is. */

import type { Authentication } from '../mail/auth/authenticate-message.ts';

export type SpamVerdict = 'PASS' | 'FAIL' | 'UNKNOWN';

/** What others say of the client or the mail. */
export interface ContentResults {
  /** Where a scanner is configured, its action decides; null where it did not answer. */
  scanner: { verdict: 'PASS' | 'FAIL' | null } | null;
  /** Block lists that have the client's address. */
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
