/** Looks up every record of a domain and judges it beside the one that is wanted. */

import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import type { DnsResolve } from '../../mail/auth/bounded-resolver.ts';
import { doesSignatureVerify, evaluateSpf } from '../../mail/auth/check-own.ts';
import type { FreshAnswer, FreshLookup } from '../../net/dns/fresh-lookup.ts';
import type { CheckResult, DkimKey, Domain } from '../../store/accounts/domains.ts';
import { type DnsRecord, dkimName, toDnsRecords } from '../records.ts';
import { openDkimKey } from '../signing-keys.ts';
import {
  type Finding,
  finding,
  isWildcardAnswer,
  judgeFailure,
  judgeMissing,
  judgeWildcard,
  NO_WILDCARD,
  shownValue,
  type Wildcard,
} from './finding.ts';
import { judgeApexAlias, judgeCname, judgeMx } from './judge-hosts.ts';
import { judgeDkim, judgeDmarc, judgeOwnership, judgePolicyText, judgeSpf, type SpfFacts } from './judge-txt.ts';

/** The queries of one check, bounded in number and time. */
export interface CheckLookups {
  lookup: FreshLookup;
  /** For the terms of an SPF record, with a bound of their own: the domain's owner chooses how many they are. */
  resolveSpf: DnsResolve;
  /** What is wrong with the domain's name servers. */
  faults(): string[];
}

export interface CheckNeeds {
  startLookups: () => CheckLookups;
  clock: Clock;
  random: RandomBytes;
  hostname: string;
  /** Addresses that mail is sent from; empty: the host's own. */
  sourceAddresses: readonly string[];
  /** Null where the key file is missing: DKIM records are compared, and no signature is made. */
  vaultKey: Buffer | null;
}

export interface DomainCheck {
  result: CheckResult;
  /** Every required record is found. */
  isComplete: boolean;
  /** The same without the DKIM key that a rotation will need, which no mail depends upon. */
  isWorking: boolean;
  /** False where no server responded at all: that may be the instance's own network. */
  isConclusive: boolean;
}

/** MX hosts whose aliases are looked up. */
const MAX_FOREIGN_HOSTS = 3;
/** Sending addresses that SPF is evaluated for. */
const MAX_ADDRESSES = 4;
const MAX_FAULTS = 4;
const PROBE_BYTES = 8;

type Judge = (values: readonly string[]) => Finding | null | Promise<Finding | null>;

const readPublicKey = (value: string): string => /(?:^|;)\s*p\s*=([^;]*)/i.exec(value)?.[1]?.replace(/\s+/g, '') ?? '';

const valuesOf = <V>(answer: FreshAnswer<V>): readonly V[] => (answer.kind === 'answer' ? answer.values : []);

export const checkDomain = async (
  needs: CheckNeeds,
  domain: Domain,
  keys: readonly DkimKey[],
): Promise<DomainCheck> => {
  const { hostname, clock, vaultKey } = needs;
  const { lookup: send, resolveSpf, faults } = needs.startLookups();
  let isConclusive = false;
  const lookup: FreshLookup = async (name, type) => {
    const answer = await send(name, type);
    if (answer.kind === 'answer' || answer.isResponse) isConclusive = true;
    return answer;
  };

  const probeWildcard = async (): Promise<Wildcard> => {
    const label = `probe-${Buffer.from(needs.random(PROBE_BYTES)).toString('hex')}`;
    const answer = await lookup(`${label}.${domain.name}`, 'TXT');
    return answer.kind === 'answer' ? answer : NO_WILDCARD;
  };
  const wildcard = probeWildcard();
  const keyBySelector = new Map(keys.map((key) => [dkimName(key.selector, domain.name), key]));

  /** The name with the domain written twice, where it has the record. */
  const findDoubled = async (name: string): Promise<string | null> => {
    const doubled = `${name}.${domain.name}`;
    const answer = await lookup(doubled, 'TXT');
    return valuesOf(answer).length > 0 && !isWildcardAnswer(answer, await wildcard) ? doubled : null;
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

  const findSpfFacts = async (isSole: boolean): Promise<SpfFacts> => {
    const own = await Promise.all([lookup(hostname, 'A'), lookup(hostname, 'AAAA')]);
    const addresses = needs.sourceAddresses.length > 0 ? needs.sourceAddresses : own.flatMap(valuesOf);
    const checked = isSole ? addresses.slice(0, MAX_ADDRESSES) : [];
    const results = await Promise.all(checked.map((ip) => evaluateSpf(domain.name, ip, hostname, resolveSpf)));
    return { hostname, addresses, results };
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
    return judgeMx(answer, { domain: domain.name, hostname, aliases: targets.flat() });
  };

  /** A retired key has no private part: its record is compared. */
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
        return text('SPF record', async (values) =>
          judgeSpf(values, await findSpfFacts(values.filter((each) => /^v=spf1/i.test(each)).length === 1)),
        );
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
        return text('TLSRPT record', (values) => judgePolicyText(values, 'TLSRPTv1', wanted));
    }
  };

  const records = toDnsRecords(domain, keys, hostname);
  // A record that cannot be judged is a fault of the check, and no statement about the record.
  const findings = await Promise.all(
    records.map((record) => judge(record).catch(() => finding('unchecked', [], 'The check of this record failed.'))),
  );
  const isLacking = (at: number) => records[at]?.required === true && findings[at]?.status !== 'found';
  const lacking = records.filter((_, at) => isLacking(at));
  const isNext = ({ name }: DnsRecord) => keyBySelector.get(name)?.role === 'next';
  const found = faults().slice(0, MAX_FAULTS).join(' ');
  return {
    result: {
      hint: found === '' ? null : shownValue(found),
      records: records.map(({ type, name, value }, at) => ({
        ...{ type, name, value },
        ...(findings[at] ?? finding('unchecked', [], null)),
      })),
    },
    isComplete: lacking.length === 0,
    isWorking: lacking.every(isNext),
    isConclusive,
  };
};
