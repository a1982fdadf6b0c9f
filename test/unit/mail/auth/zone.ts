/** A DNS zone in memory, as a resolver for the tests. */

import type { DnsResolve } from '../../../../src/mail/auth/bounded-resolver.ts';

export const dnsError = (code: string): Error => Object.assign(new Error(code), { code });

/** @param zone answers by `TYPE name`; a string is an error's code */
export const resolverOf =
  (zone: Record<string, string[][] | string[] | string>): DnsResolve =>
  async (name, type) => {
    const answer = zone[`${type} ${name.toLowerCase()}`] ?? 'ENOTFOUND';
    if (typeof answer === 'string') throw dnsError(answer);
    return answer;
  };
