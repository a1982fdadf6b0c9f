/**
 * Mail that a forwarder changed on its way fails the author's own checks. Where the operator trusts the forwarder, and an
 * ARC chain that it sealed last is whole (RFC 8617 section 5.2), those failures are not held against the mail. What is
 * stored of the checks stays as it was found.
 */

import type { Authentication } from '../mail/auth/authenticate-message.ts';

/** @param trusted domains that seal, in lower case */
export const applyArcOverride = (authentication: Authentication, trusted: ReadonlySet<string>): Authentication => {
  const { arc, arcSealer, dmarcPolicy } = authentication;
  if (arc !== 'pass' || arcSealer === null || !trusted.has(arcSealer)) return authentication;
  return { ...authentication, spf: 'none', dmarcPolicy: dmarcPolicy && 'none', aligned: true };
};
