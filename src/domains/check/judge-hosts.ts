/** Judges records that name hosts: MX and CNAME. Pure. */

import type { FreshAnswer } from '../../net/dns/fresh-lookup.ts';
import type { MxRecord } from '../../net/dns/resolver.ts';
import {
  completedHint,
  type Finding,
  finding,
  isCompleted,
  judgeFailure,
  judgeMissing,
  sameName,
  shownValue,
} from './finding.ts';

export interface MxFacts {
  domain: string;
  hostname: string;
  /** Exchanges that are aliases of the host. */
  aliases: readonly string[];
  /** The name with the domain twice, where an MX record stands there. */
  doubled: string | null;
}

const formatMx = ({ exchange, priority }: MxRecord): string => `${priority} ${exchange === '' ? '.' : exchange}`;

export const judgeMx = (answer: FreshAnswer<MxRecord>, { domain, hostname, aliases, doubled }: MxFacts): Finding => {
  if (answer.kind === 'failed') return judgeFailure(domain, answer);
  const found = answer.values.map(formatMx);
  const [alias] = answer.aliases;
  if (alias !== undefined) return judgeApexAlias(domain, alias, found);
  if (answer.values.length === 0) return judgeMissing('MX record', domain, doubled, null);
  const others = answer.values.filter(({ exchange }) => !sameName(exchange, hostname));
  const isOursThere = others.length < answer.values.length;
  if (others.length === 0) return finding('found', found, null);
  const [other] = others;
  if (!isOursThere && other?.exchange === '') {
    const hint = `The MX record "." says that the domain takes no mail (RFC 7505): replace it with ${hostname}.`;
    return finding('mismatch', found, hint);
  }
  const through = others.find(({ exchange }) => aliases.includes(exchange));
  if (through) {
    const hint = `The MX record names ${shownValue(through.exchange)}, an alias (CNAME) of ${hostname}. An MX record names no alias (RFC 2181 section 10.3): change it to ${hostname}.`;
    return finding('mismatch', found, hint);
  }
  const completed = others.find(({ exchange }) => isCompleted(exchange, hostname));
  if (completed) return finding('mismatch', found, completedHint('MX record', completed.exchange, hostname));
  const names = others.map(({ exchange }) => shownValue(exchange)).join(', ');
  const hint = isOursThere
    ? `Mail also goes to ${names}, where no agent reads it. Remove every MX record but the one of ${hostname}.`
    : `Mail goes to ${names}. To receive here, replace the MX records with the one of ${hostname}. To keep that mail service leave them, and its DMARC, MTA-STS and TLS-RPT records: the domain then sends from here alone.`;
  return finding('mismatch', found, hint);
};

/** A CNAME at the domain itself, beside which no other record may stand (RFC 1034 section 3.6.2). */
export const judgeApexAlias = (domain: string, alias: string, found: readonly string[]): Finding =>
  finding(
    'mismatch',
    [`CNAME ${alias}`, ...found],
    `A CNAME at ${domain} leads to ${shownValue(alias)} and hides every other record there. Remove it: publish A and AAAA records in its place, or use another subdomain here.`,
  );

export const judgeCname = (name: string, answer: FreshAnswer<string>, wanted: string): Finding => {
  if (answer.kind === 'failed') return judgeFailure(name, answer);
  if (answer.values.length === 0) return judgeMissing('CNAME record', name, null, null);
  const isOurs = answer.values.every((value) => sameName(value, wanted));
  const completed = answer.values.find((value) => isCompleted(value, wanted));
  const hint = completed
    ? completedHint('CNAME record', completed, wanted)
    : `The CNAME leads elsewhere: change it to ${wanted}.`;
  return finding(isOurs ? 'found' : 'mismatch', answer.values, isOurs ? null : hint);
};
