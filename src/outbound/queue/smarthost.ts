/** Sessions with a smarthost: its verification, the cause where a session does not open, and what its refusals say. */

import { isIP } from 'node:net';
import type { Smarthost } from '../../config/config-values.ts';
import type { Reason } from '../../mail-log/reasons.ts';
import { resolveHost } from '../../net/dns/mx.ts';
import type { Resolver } from '../../net/dns/resolver.ts';
import type { TlsSecurityLevel } from '../../net/smtp/delivery-request.ts';
import type { DeliveryReply } from '../../net/smtp/smtp-client.ts';
import { certificateFor } from '../../net/tls/certificate-check.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';

export type SmarthostLookup =
  | { addresses: readonly string[]; fault: null }
  | { addresses: null; fault: SmarthostFault };

/** A configured smarthost may be an address, and may have private ones. */
export const findSmarthost = async ({ host }: Smarthost, resolver: Resolver): Promise<SmarthostLookup> => {
  if (isIP(host) !== 0) return { addresses: [host], fault: null };
  const { addresses, failure } = await resolveHost(host, resolver);
  if (addresses.length > 0) return { addresses, fault: null };
  const text = `The smarthost ${host} could not be looked up: ${failure ?? 'it has no address'}`;
  return { addresses: null, fault: { reason: 'smarthost_unreachable', text } };
};

/** TLS with a certificate of the smarthost's name, wherever a password is sent or `smtps:` asks for it; null: opportunistic. */
export const smarthostTls = (
  { host, secure, credentials }: Smarthost,
  extraCa: string | null,
): (TlsSecurityLevel & { kind: 'required' }) | null =>
  secure || credentials !== null
    ? { kind: 'required', implicit: secure, check: certificateFor(host), extraCa, login: credentials }
    : null;

/** A relay with a login is a provider's, which may change the mail; one without is the operator's own. */
export const isProvider = (level: TlsSecurityLevel): boolean => level.kind === 'required' && Boolean(level.login);

export interface SmarthostFault {
  reason: Reason;
  /** The failed step, with the reply of the host or the system. */
  text: string;
}

/** Replies to AUTH, and to a command that needs it (RFC 4954 section 6). */
const SIGN_IN_CODES = new Set([432, 454, 500, 530, 534, 535, 538]);

/** Names the cause where a session did not open. */
export const toSmarthostFault = (name: string, reply: DeliveryReply): SmarthostFault => {
  if (reply.kind !== 'unreachable') {
    return SIGN_IN_CODES.has(reply.code)
      ? { reason: 'smarthost_sign_in', text: `The smarthost ${name} refused the sign-in: ${reply.response}` }
      : { reason: 'smarthost_refused', text: `The smarthost ${name} refused the session: ${reply.response}` };
  }
  const { phase, tlsFailure, reason } = reply;
  if (tlsFailure !== null || phase === 'starttls') {
    return { reason: 'smarthost_tls', text: `TLS with the smarthost ${name} failed: ${reason}` };
  }
  return phase === 'auth'
    ? { reason: 'smarthost_sign_in', text: `The sign-in at the smarthost ${name} failed: ${reason}` }
    : { reason: 'smarthost_unreachable', text: `The smarthost ${name} could not be reached: ${reason}` };
};

/** Status codes of a recipient's address: RFC 3463 sections 3.2 and 3.3, RFC 7505. */
const OF_RECIPIENT = /^5\.(?:1\.(?:[12346]|10)|2\.1)$/;

/** It refuses for the sake of its customer as well (sender, limit, account): the address is bad where the status says so. */
export const ofSmarthost = (outcome: AttemptOutcome): AttemptOutcome => {
  const { verdict, suppresses, enhancedCode } = outcome;
  if (!suppresses || verdict === 'delivered' || OF_RECIPIENT.test(enhancedCode ?? '')) return outcome;
  if (verdict === 'retry') return { ...outcome, suppresses: false };
  return { ...outcome, verdict: 'blocked', suppresses: false, reason: 'smarthost_refused' };
};
