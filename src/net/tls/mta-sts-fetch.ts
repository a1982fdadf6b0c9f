/** Fetches the MTA-STS policy of a domain (RFC 8461 section 3.3). */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import { GuardedHttpError, type SendGuarded } from '../http/guarded-client.ts';
import type { TlsFailure, TlsFailureType } from '../smtp/delivery-request.ts';
import { MAX_POLICY_BYTES, parseStsPolicy, type StsPolicy } from './mta-sts-policy.ts';

/** RFC 8461 section 3.3 permits a minute; deliveries wait for this. */
const TIME_OUT_MS: Millis = 15 * SECOND;
/** OpenSSL's chain errors, and Node's name error. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/;

export type FetchResult =
  /** `text` as received. */
  | { readonly kind: 'policy'; readonly text: string; readonly policy: StsPolicy }
  | { readonly kind: 'failed'; readonly failure: TlsFailure };

export interface FetchNeeds {
  request: SendGuarded;
  port: number;
}

const failed = (type: TlsFailureType, reason: string): FetchResult => ({
  kind: 'failed',
  failure: { type, reason: reason.slice(0, 500) },
});

/**
 * @returns the policy, or the failure with its type of RFC 8460 section 4.3.2.2
 * @throws where the signal aborts it
 */
export const fetchStsPolicy = async (
  { request, port }: FetchNeeds,
  domain: string,
  signal: AbortSignal,
): Promise<FetchResult> => {
  const url = new URL(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`);
  try {
    const reply = await request({
      url,
      method: 'GET',
      timeoutMs: TIME_OUT_MS,
      maxResponseBytes: MAX_POLICY_BYTES,
      signal,
    });
    // Redirects are not followed: any status except 200 means no policy.
    if (reply.status !== 200) return failed('sts-policy-fetch-error', `${url.host} answered ${reply.status}`);
    const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
    if (type.trim().toLowerCase() !== 'text/plain') {
      return failed('sts-policy-fetch-error', `${url.host} sent ${type.slice(0, 100) || 'no type'}, not text/plain`);
    }
    if (reply.truncated) return failed('sts-policy-invalid', `The policy is larger than ${MAX_POLICY_BYTES} octets`);
    const text = reply.body.toString('utf8');
    const parsed = parseStsPolicy(text);
    return parsed.kind === 'invalid' ? failed('sts-policy-invalid', parsed.reason) : { ...parsed, text };
  } catch (error) {
    // An abort by this process is no failure of the domain: the mail must not be sent as if without a policy.
    if (!(error instanceof GuardedHttpError) || error.fault === 'aborted') throw error;
    const isUntrusted = error.code !== null && CERTIFICATE_FAULT.test(error.code);
    return failed(isUntrusted ? 'sts-webpki-invalid' : 'sts-policy-fetch-error', error.message);
  }
};
