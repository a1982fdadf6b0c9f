/** Looks up every record of a domain and compares it with the wanted one. */

import { isWithin, parseDomain } from '../../kernel/address.ts';
import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import type { DnsResolve } from '../../mail/auth/bounded-resolver.ts';
import { doesSignatureVerify, evaluateSpf } from '../../mail/auth/check-own.ts';
import { organizationalDomain } from '../../mail/auth/organizational-domain.ts';
import type { FreshAnswer, FreshLookup } from '../../net/dns/fresh-lookup.ts';
import type { MxRecord } from '../../net/dns/resolver.ts';
import type { CheckResult, DkimKey, ListedDomain } from '../../store/accounts/domains.ts';
import { type DnsRecord, dkimName, type MailHost, spfTerms, toDnsRecords } from '../records.ts';
import { openDkimKey } from '../signing-keys.ts';
import {
  type Finding,
  finding,
  isCompleted,
  isWildcardAnswer,
  judgeFailure,
  judgeMissing,
  judgeWildcard,
  NO_WILDCARD,
  sameName,
  shownValue,
  type Wildcard,
} from './finding.ts';
import { judgeApexAlias, judgeCname, judgeMx } from './judge-hosts.ts';
import { isSpf, judgeDkim, judgeDmarc, judgeOwnership, judgePolicyText, judgeSpf, type SpfFacts } from './judge-txt.ts';
import { parseReferences } from './spf-text.ts';

/** The queries of one check, bounded in number and time. */
export interface CheckLookups {
  lookup: FreshLookup;
  /** For SPF terms, with a separate bound, because the domain's owner determines their number. */
  resolveSpf: DnsResolve;
  /** Faults of the domain's name servers. */
  faults(): string[];
}

export interface CheckNeeds extends MailHost {
  startLookups: () => CheckLookups;
  clock: Clock;
  random: RandomBytes;
  /** Sending addresses; empty: the host's own. */
  sourceAddresses: readonly string[];
  /** The zone for delegation to the instance's own DNS server; null without that server. */
  delegatedZone: string | null;
  /** Null where the key file is missing: DKIM records are compared, without a test signature. */
  vaultKey: Buffer | null;
}

export interface DomainCheck {
  result: CheckResult;
  /** Every required record is found. */
  isComplete: boolean;
  /** The same without the next DKIM key, which no mail needs yet. */
  isWorking: boolean;
  /** As isComplete and isWorking, without the records for receiving: MX and DMARC, which another server may have. */
  isSendComplete: boolean;
  isSendWorking: boolean;
  /** Some mail is routed to this host, or the look-up failed. */
  leadsHere: boolean;
  /** False where all that is lacking is what no server responded about: the fault may be the instance's own network. */
  isConclusive: boolean;
}

/** MX hosts with an alias look-up. */
const MAX_FOREIGN_HOSTS = 3;
/** Sending addresses with an SPF evaluation. */
const MAX_ADDRESSES = 4;
/** RFC 7208 section 4.6.4 permits 10 terms with look-ups. */
const MAX_REFERENCES = 10;
const MAX_FAULTS = 4;
const PROBE_BYTES = 8;

type Judge = (values: readonly string[]) => Finding | null | Promise<Finding | null>;

const readPublicKey = (value: string): string => /(?:^|;)\s*p\s*=([^;]*)/i.exec(value)?.[1]?.replace(/\s+/g, '') ?? '';

const valuesOf = <V>(answer: FreshAnswer<V>): readonly V[] => (answer.kind === 'answer' ? answer.values : []);

/** Records about receiving, which stay those of another mail server while the MX names it. */
const isAboutReceiving = ({ purpose }: DnsRecord, { status }: Finding): boolean =>
  purpose === 'mta_sts' || purpose === 'tls_rpt' || (purpose === 'dmarc' && status === 'missing');

export const checkDomain = async (
  needs: CheckNeeds,
  domain: ListedDomain,
  keys: readonly DkimKey[],
): Promise<DomainCheck> => {
  const { hostname, clock, vaultKey } = needs;
  const { lookup: send, resolveSpf, faults } = needs.startLookups();
  let leadsHere = true;
  let isElsewhere = false;
  /** Records that no server responded about, or that the check itself failed at. */
  const unanswered = new Set<string>();
  const lookup: FreshLookup = async (name, type) => {
    const answer = await send(name, type);
    if (answer.kind === 'failed' && !answer.isResponse) unanswered.add(`${type} ${name}`);
    return answer;
  };

  const probeWildcard = async (): Promise<Wildcard> => {
    const label = `probe-${Buffer.from(needs.random(PROBE_BYTES)).toString('hex')}`;
    const answer = await lookup(`${label}.${domain.name}`, 'TXT');
    return answer.kind === 'answer' ? answer : NO_WILDCARD;
  };
  const wildcard = probeWildcard();
  const keyBySelector = new Map(keys.map((key) => [dkimName(key.selector, domain.name), key]));

  /** Names that a DNS provider may append: that of the zone, which may be the registered domain above this one. */
  const zones = [...new Set([domain.name, organizationalDomain(domain.name)])];

  /** The record's name with the domain twice, if the record stands there. */
  const findDoubled = async (name: string): Promise<string | null> => {
    for (const zone of zones) {
      const doubled = `${name}.${zone}`;
      const answer = await lookup(doubled, 'TXT');
      if (valuesOf(answer).length > 0 && !isWildcardAnswer(answer, await wildcard)) return doubled;
    }
    return null;
  };

  const namesHost = ({ exchange }: MxRecord): boolean =>
    sameName(exchange, hostname) || isCompleted(exchange, hostname);

  const findDoubledMx = async (): Promise<string | null> => {
    for (const zone of zones) {
      const doubled = `${domain.name}.${zone}`;
      if (valuesOf(await lookup(doubled, 'MX')).some(namesHost)) return doubled;
    }
    return null;
  };

  const judgeText = async (name: string, what: string, judge: Judge): Promise<Finding> => {
    const answer = await lookup(name, 'TXT');
    if (answer.kind === 'failed') return judgeFailure(name, answer);
    const { values, aliases } = answer;
    const [alias = null] = aliases;
    if (name === domain.name && alias !== null) return judgeApexAlias(name, alias, []);
    const judged = values.length > 0 ? await judge(values) : null;
    if (judged?.status === 'found') return judged;
    if (name !== domain.name && isWildcardAnswer(answer, await wildcard)) {
      return judgeWildcard(what, domain.name, name, values);
    }
    return judged ?? judgeMissing(what, name, await findDoubled(name), alias);
  };

  const findEmptyTerms = async (record: string): Promise<string[]> => {
    const references = parseReferences(record).filter((each) => parseDomain(each.domain) !== null);
    const terms = await Promise.all(
      references.slice(0, MAX_REFERENCES).map(async ({ term, domain: name }) => {
        const answer = await lookup(name, 'TXT');
        return answer.kind === 'answer' && !answer.values.some(isSpf) ? [term] : [];
      }),
    );
    return terms.flat();
  };

  const findSpfFacts = async (values: readonly string[]): Promise<SpfFacts> => {
    const [record = '', ...others] = values.filter(isSpf);
    const own = await Promise.all([lookup(hostname, 'A'), lookup(hostname, 'AAAA')]);
    const addresses = needs.sourceAddresses.length > 0 ? needs.sourceAddresses : own.flatMap(valuesOf);
    const checked = record !== '' && others.length === 0 ? addresses.slice(0, MAX_ADDRESSES) : [];
    const results = await Promise.all(checked.map((ip) => evaluateSpf(domain.name, ip, hostname, resolveSpf)));
    // What the record permits is not known without each of these names.
    const isKnown = own.every(({ kind }) => kind === 'answer') && !results.includes('temperror');
    if (!isKnown) unanswered.add(`TXT ${domain.name}`);
    const emptyTerms = results.includes('permerror') ? await findEmptyTerms(record) : [];
    return { hostname, wantedTerms: spfTerms(needs), addresses, results, emptyTerms };
  };

  const judgeMailHosts = async (): Promise<Finding> => {
    const answer = await lookup(domain.name, 'MX');
    const others = valuesOf(answer)
      .map(({ exchange }) => exchange)
      .filter((exchange) => exchange !== '' && exchange !== hostname)
      .slice(0, MAX_FOREIGN_HOSTS);
    const targets = await Promise.all(
      others.map(async (host) => (valuesOf(await lookup(host, 'CNAME')).includes(hostname) ? [host] : [])),
    );
    const aliases = targets.flat();
    const isNamed = valuesOf(answer).some(namesHost);
    const doubled = answer.kind === 'answer' && answer.values.length === 0 ? await findDoubledMx() : null;
    // A mistyped record says as well that mail should come here.
    leadsHere = answer.kind === 'failed' || isNamed || aliases.length > 0 || doubled !== null;
    isElsewhere = !leadsHere && others.length > 0;
    return judgeMx(answer, { domain: domain.name, hostname, aliases, doubled });
  };

  /** A retired key cannot sign, so its record is compared. */
  const verifies = async (key: DkimKey | undefined, value: string): Promise<boolean> => {
    if (!key) return false;
    if (key.retiredAt !== null || vaultKey === null) return readPublicKey(value) === key.publicKey;
    return doesSignatureVerify(openDkimKey(vaultKey, domain.name, key), value, clock.now());
  };

  const judge = ({ purpose, type, name, value: wanted }: DnsRecord): Promise<Finding> => {
    const text = (what: string, judgeValues: Judge) => judgeText(name, what, judgeValues);
    switch (purpose) {
      case 'mx':
        return judgeMailHosts();
      case 'spf':
        return text('SPF record', async (values) => judgeSpf(values, await findSpfFacts(values)));
      case 'dkim':
        return text('DKIM record', async (values) => {
          const isVerified = values.length === 1 && (await verifies(keyBySelector.get(name), values[0] ?? ''));
          return judgeDkim(values, { wanted, verifies: isVerified });
        });
      case 'dmarc':
        return text('DMARC record', judgeDmarc);
      case 'ownership':
        return text('ownership record', (values) => judgeOwnership(values, wanted));
      case 'mta_sts':
        if (type === 'CNAME') return lookup(name, 'CNAME').then((answer) => judgeCname(name, answer, wanted));
        return text('MTA-STS record', (values) => judgePolicyText(values, 'STSv1', wanted));
      case 'tls_rpt':
        return text('TLS-RPT record', (values) => judgePolicyText(values, 'TLSRPTv1', wanted));
    }
  };

  /** The one NS record that replaces all others, where the zone is not delegated to the instance's DNS server. */
  const findMissingDelegation = async (): Promise<string | null> => {
    const zone = needs.delegatedZone;
    if (zone === null || !isWithin(domain.name, zone)) return null;
    const answer = await lookup(zone, 'NS');
    if (answer.kind === 'failed' || answer.values.some((each) => sameName(each, hostname))) return null;
    return `${zone} is not delegated to this host, whose DNS server has all of these records. Publish one record in the zone above: ${zone}. NS ${hostname}.`;
  };

  const records = toDnsRecords(domain, keys, needs);
  // An error of the comparison is a fault of the check, not a finding about the record.
  const findings = await Promise.all(
    records.map((record) =>
      judge(record).catch(() => {
        unanswered.add(`${record.type} ${record.name}`);
        return finding('unchecked', [], 'The check of this record failed.');
      }),
    ),
  );
  const isLacking = (at: number) => records[at]?.required === true && findings[at]?.status !== 'found';
  const lacking = records.filter((_, at) => isLacking(at));
  const lackingToSend = lacking.filter(({ purpose }) => purpose !== 'mx' && purpose !== 'dmarc');
  const delegation = lacking.length > 0 ? await findMissingDelegation() : null;
  // Where every look-up failed, the common reason is stated once.
  const isSilent = findings.every(({ status }) => status === 'unchecked');
  const silence = isSilent ? (findings[0]?.hint ?? '') : '';
  /** A missing record needs no hint where one NS record would add all missing ones, or where another server has it. */
  const toFinding = (record: DnsRecord, at: number): Finding => {
    const judged = findings[at] ?? finding('unchecked', [], null);
    const isMoot = delegation !== null && judged.status === 'missing';
    return isMoot || (isElsewhere && isAboutReceiving(record, judged)) ? { ...judged, hint: null } : judged;
  };
  const found = delegation ?? [...faults().slice(0, MAX_FAULTS), silence].join(' ').trim();
  return {
    result: {
      hint: found === '' ? null : shownValue(found),
      records: records.map((record, at) => ({
        type: record.type,
        name: record.name,
        value: record.value,
        ...toFinding(record, at),
        ...(isSilent && { hint: null }),
      })),
    },
    isSendComplete: lackingToSend.length === 0,
    isSendWorking: lackingToSend.every(({ role }) => role === 'next'),
    leadsHere,
    isComplete: lacking.length === 0,
    isWorking: lacking.every(({ role }) => role === 'next'),
    isConclusive: lacking.length === 0 || lacking.some(({ type, name }) => !unanswered.has(`${type} ${name}`)),
  };
};
