/**
 * ARC override (RFC 8617 section 5.2): where a trusted sealer made the last seal of a valid chain, the author's SPF and
 * DMARC failures, which forwarding causes, are ignored. The stored authentication results stay unchanged.
 */

import type { Authentication } from '../mail/auth/authenticate-message.ts';

/** @param trusted sealers' domains, in lower case */
export const applyArcOverride = (authentication: Authentication, trusted: ReadonlySet<string>): Authentication => {
  const { arc, arcSealer, dmarcPolicy } = authentication;
  if (arc !== 'pass' || arcSealer === null || !trusted.has(arcSealer)) return authentication;
  return { ...authentication, spf: 'none', dmarcPolicy: dmarcPolicy && 'none', aligned: true };
};
