/** Whether a message's origin is unauthenticated, by which the guard holds replies. */

interface Checked {
  authentication: { from_domain: string | null; aligned: boolean };
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN';
}

/**
 * A message is doubtful unless it is aligned: by DMARC; without a DMARC record by SPF or DKIM of the author's
 * organisation; by a trusted ARC sealer; or because it was delivered within this instance. A message without a sole
 * author, or with a spam verdict of FAIL, is doubtful. A domain without records is forgeable, so the absence of results
 * counts as unauthenticated.
 */
export const isDoubtful = ({ authentication: { from_domain, aligned }, spamVerdict }: Checked): boolean =>
  spamVerdict === 'FAIL' || from_domain === null || !aligned;
