/** The proof of a name to an authority (RFC 8555 section 8, RFC 8737). */

export const CHALLENGE_TYPES = ['dns-01', 'http-01', 'tls-alpn-01'] as const;
export type ChallengeType = (typeof CHALLENGE_TYPES)[number];

/** The data of one proof. */
export interface Challenge {
  name: string;
  /** The last segment of the path of an http-01 request. */
  token: string;
  /** http-01: the body; dns-01: the TXT value; tls-alpn-01: the input of the certificate's extension. */
  keyAuthorization: string;
}

export interface ChallengeResponder {
  answer(challenge: Challenge): Promise<void> | void;
  withdraw(challenge: Challenge): Promise<void> | void;
}
