/** The records of the instance's domains. */

import type { Check } from '../check.ts';
import { fail, ok, skipped } from '../finding.ts';

export const checkDns: Check = async ({ config, examineDomains }) => {
  if (config.outbound.local_only) return [skipped('dns', 'outbound.local_only: no other host asks for its records.')];
  const domains = await examineDomains();
  if (domains.length === 0) return [skipped('dns', 'There is no domain yet.')];
  return domains.map(({ name, isComplete, hints }) =>
    isComplete
      ? ok('dns', `${name}: every required record is found.`)
      : fail('dns', `${name}: ${hints.join(' ') || 'required records are missing.'}`, `postroom dns check ${name}`),
  );
};
