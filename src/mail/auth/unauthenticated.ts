/** Tells whether a message is unauthenticated; replies to such mail are held. */

interface Checked {
  authentication: { from_domain: string | null; aligned: boolean };
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN';
}

/**
 * A message is authenticated if it passes DMARC, comes through a trusted ARC sealer, or is delivered within this
 * instance. Without a DMARC record, SPF or DKIM of the author's organisation is enough. Without a sole author, or with a
 * spam verdict of FAIL, it is not. A domain without records is forgeable, so missing results count as unauthenticated.
 */
export const isUnauthenticated = ({ authentication: { from_domain, aligned }, spamVerdict }: Checked): boolean =>
  spamVerdict === 'FAIL' || from_domain === null || !aligned;
