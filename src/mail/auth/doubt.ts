/** Whether nothing shows that a mail is from whom it says: what the guard holds answers to. */

interface Checked {
  authentication: { from_domain: string | null; aligned: boolean };
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN';
}

/**
 * A mail is doubtful unless it is aligned: by DMARC; where there is no record by SPF or DKIM of the author's organisation;
 * by the seal of a trusted forwarder; or because it never left the box. One that says no one author is, and one that the
 * receiving verdict is against. A domain without records can be written as by anybody, so that proving nothing is no excuse.
 */
export const isDoubtful = ({ authentication: { from_domain, aligned }, spamVerdict }: Checked): boolean =>
  spamVerdict === 'FAIL' || from_domain === null || !aligned;
