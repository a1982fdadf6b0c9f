/** What proves a name to an authority (RFC 8555 section 8, RFC 8737). */

export const CHALLENGE_TYPES = ['dns-01', 'http-01', 'tls-alpn-01'] as const;
export type ChallengeType = (typeof CHALLENGE_TYPES)[number];

/** What a name is proven by. */
export interface Challenge {
  name: string;
  /** Of the path that an http-01 request names. */
  token: string;
  /** http-01: the body; dns-01: the TXT value; tls-alpn-01: what the certificate's extension is made of. */
  keyAuthorization: string;
}

export interface ChallengeResponder {
  answer(challenge: Challenge): Promise<void> | void;
  withdraw(challenge: Challenge): Promise<void> | void;
}
