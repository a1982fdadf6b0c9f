/** Whether what the checks found speaks against who a mail says it is from. */

interface Checked {
  authentication: { spf: string; dkim: string; dmarc: string; from_domain: string | null; aligned: boolean };
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN';
}

/**
 * A mail is doubtful that failed DMARC under any record, or SPF where there is none; that could not be checked; that says
 * no one author; or that the receiving verdict is against. One that proves nothing and fails nothing is not.
 */
export const isDoubtful = ({ authentication, spamVerdict }: Checked): boolean => {
  const { spf, dkim, dmarc, from_domain, aligned } = authentication;
  if (spamVerdict === 'FAIL' || from_domain === null) return true;
  if (aligned) return false;
  return dmarc !== 'none' || spf === 'fail' || spf === 'temperror' || dkim === 'temperror';
};
