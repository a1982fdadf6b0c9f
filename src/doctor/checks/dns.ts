/** The records of the instance's domains. */

import type { Check, ExaminedDomain } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

const judge = ({ name, isComplete, isGuest, hints }: ExaminedDomain): Finding => {
  if (isComplete) return ok('dns', `${name}: every required record is found.`);
  const told = `${name}: ${hints.join(' ') || 'required records are missing.'}`;
  return (isGuest ? warn : fail)('dns', told, `postroom dns check ${name}`);
};

/** Where no DNS server answers, one finding covers all domains. */
const judgeSilent = (silent: readonly ExaminedDomain[]): Finding[] => {
  const [first] = silent;
  if (!first) return [];
  const which = silent.length === 1 ? first.name : `${silent.length} domains, ${first.name} for one`;
  const told = `No DNS server answers the questions about ${which}: ${first.hints.join(' ')}`;
  return [
    fail('dns_servers', told, 'Look at [dns] resolvers and at the network; UDP and TCP port 53 must be open outward.'),
  ];
};

export const checkDns: Check = async ({ config, examineDomains }) => {
  if (config.outbound.local_only) return [skipped('dns', 'outbound.local_only: no other host asks for its records.')];
  const domains = await examineDomains();
  if (domains.length === 0) return [skipped('dns', 'There is no domain yet.')];
  const { silent = [], answered = [] } = Object.groupBy(domains, ({ isConclusive }) =>
    isConclusive ? 'answered' : 'silent',
  );
  return [...judgeSilent(silent), ...answered.map(judge)];
};
