/** Domains from which mail of the tests is authentic. */

import type { TestInstance } from '../instance.ts';

/** An SPF record that allows this machine: what is sent from there passes, aligned. */
export const alignMailOf = ({ dns }: Pick<TestInstance, 'dns'>, ...domains: string[]): void => {
  for (const domain of domains) dns.zone.set(domain, 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
};
