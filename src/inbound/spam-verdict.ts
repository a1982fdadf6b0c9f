/** Judges a mail by its authentication alone: what is said where no scanner is configured. */

import type { Authentication } from '../mail/authenticate.ts';

export type SpamVerdict = 'PASS' | 'FAIL' | 'UNKNOWN';

export const judgeSpam = ({ spf, dmarc, dmarcPolicy, aligned, dkim }: Authentication): SpamVerdict => {
  const failsPolicy = dmarc === 'fail' && (dmarcPolicy === 'quarantine' || dmarcPolicy === 'reject');
  if (failsPolicy) return 'FAIL';
  if (spf === 'fail' && !(dkim === 'pass' && aligned)) return 'FAIL';
  return aligned ? 'PASS' : 'UNKNOWN';
};
