/** Fetches the MTA-STS policy of a domain: RFC 8461 section 3.3. */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import { GuardedHttpError, type SendGuarded } from '../http/guarded-client.ts';
import type { TlsFailure, TlsFailureType } from '../smtp/delivery-request.ts';
import { MAX_POLICY_BYTES, parseStsPolicy, type StsPolicy } from './mta-sts-policy.ts';

/** RFC 8461 section 3.3 allows a minute; mail waits for this. */
const TIME_OUT_MS: Millis = 15 * SECOND;
/** OpenSSL's verdicts on a chain, and Node's on a name. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/;

export interface FetchedPolicy {
  /** As it came. */
  readonly text: string;
  readonly policy: StsPolicy;
}

export interface FetchNeeds {
  request: SendGuarded;
  port: number;
}

const failed = (type: TlsFailureType, reason: string): TlsFailure => ({ type, reason: reason.slice(0, 500) });

/**
 * @returns the policy, or why there is none, in the words of RFC 8460 section 4.3.2.2
 * @throws where the signal calls it off
 */
export const fetchStsPolicy = async (
  { request, port }: FetchNeeds,
  domain: string,
  signal: AbortSignal,
): Promise<FetchedPolicy | TlsFailure> => {
  const url = new URL(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`);
  try {
    const reply = await request({
      url,
      method: 'GET',
      timeoutMs: TIME_OUT_MS,
      maxResponseBytes: MAX_POLICY_BYTES,
      signal,
    });
    // A redirect is not followed: any other status than 200 is no policy.
    if (reply.status !== 200) return failed('sts-policy-fetch-error', `${url.host} answered ${reply.status}`);
    const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
    if (type.trim().toLowerCase() !== 'text/plain') {
      return failed('sts-policy-fetch-error', `${url.host} sent ${type.slice(0, 100) || 'no type'}, not text/plain`);
    }
    if (reply.truncated) return failed('sts-policy-invalid', `The policy is larger than ${MAX_POLICY_BYTES} octets`);
    const text = reply.body.toString('utf8');
    const policy = parseStsPolicy(text);
    return policy instanceof Error ? failed('sts-policy-invalid', policy.message) : { text, policy };
  } catch (error) {
    // Called off by us, it says nothing of the policy: mail must not go out as if there were none.
    if (!(error instanceof GuardedHttpError) || error.fault === 'aborted') throw error;
    const isUntrusted = error.code !== null && CERTIFICATE_FAULT.test(error.code);
    return failed(isUntrusted ? 'sts-webpki-invalid' : 'sts-policy-fetch-error', error.message);
  }
};
