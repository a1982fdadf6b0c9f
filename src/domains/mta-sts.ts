/** The MTA-STS policy that the instance publishes for its domains (RFC 8461). Pure. */

import { createHash } from 'node:crypto';

/** A week: long enough to bridge an attack, short enough for a change of host. */
const MAX_AGE_SECONDS = 604_800;

/**
 * The policy file, at `https://mta-sts.<domain>/.well-known/mta-sts.txt`.
 * @param hostname the only host that receives mail for the domain
 * @see RFC 8461 section 3.2
 */
export const formatStsPolicy = (hostname: string): string =>
  ['version: STSv1', 'mode: enforce', `mx: ${hostname}`, `max_age: ${MAX_AGE_SECONDS}`, ''].join('\r\n');

/**
 * The TXT value of `_mta-sts.<domain>`. Its id is derived from the policy, so that both change together.
 * @see RFC 8461 section 3.1
 */
export const formatStsRecord = (policy: string): string =>
  `v=STSv1; id=${createHash('sha256').update(policy).digest('hex').slice(0, 20)};`;
