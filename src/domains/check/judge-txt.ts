/** Judges TXT records. Pure. */

import { type Finding, finding, hasZoneSyntax, shownValue, withoutZoneSyntax } from './finding.ts';
import { hasMechanism, parseSpfTerms, withMechanisms, withoutTerms } from './spf-text.ts';

/** The values of one name, at least one. */
type Values = readonly string[];

export const isSpf = (value: string): boolean => /^v=spf1(?: |$)/i.test(value);
const isDmarc = (value: string): boolean => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(value);

const PASTED_SYNTAX =
  'Remove the quotes and backslashes from the value: they are the syntax of zone files, and the DNS provider adds its own.';

const tagsOf = (value: string): Map<string, string> =>
  new Map(
    value.split(';').flatMap((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [] : [[part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()] as const];
    }),
  );

/** Characters of a term in a hint; a name alone may have 253. */
const MAX_TERM_CHARS = 100;

export interface SpfFacts {
  /** The host to permit. */
  hostname: string;
  /** Terms that the record must contain: the host, and its relays. */
  wantedTerms: readonly string[];
  /** Its sending addresses; empty: it has none in DNS. */
  addresses: readonly string[];
  /** The SPF result for each of these addresses, where there is one record. */
  results: readonly string[];
  /** Terms of it that name a domain without an SPF record. */
  emptyTerms: readonly string[];
}

/** Null where no value is an SPF record: other TXT records share the name. */
export const judgeSpf = (
  values: Values,
  { hostname, wantedTerms, addresses, results, emptyTerms }: SpfFacts,
): Finding | null => {
  const records = values.filter(isSpf);
  const [record] = records;
  if (record === undefined) {
    const pasted = values.find((value) => isSpf(withoutZoneSyntax(value)) && hasZoneSyntax(value));
    return pasted === undefined ? null : finding('mismatch', [pasted], PASTED_SYNTAX);
  }
  if (records.length > 1) {
    const merged = withMechanisms(
      `v=spf1 ${records.flatMap((each) => parseSpfTerms(each).before).join(' ')} -all`,
      wantedTerms,
    );
    const hint = `There are ${records.length} SPF records, and with more than one all of them are void (RFC 7208 section 4.5). Keep a single one: ${merged}`;
    return finding('mismatch', records, hint);
  }
  if (addresses.length === 0) {
    const hint = `${hostname}, from which mail is sent, has no address in DNS. The operator of this instance publishes its A or AAAA record.`;
    return finding('mismatch', records, hint);
  }
  const includes = wantedTerms.filter((term) => term.startsWith('include:') && !hasMechanism(record, term));
  if (results.every((result) => result === 'pass') && includes.length === 0) {
    const isOpen = /(?:^|\s)\+?all(?:\s|$)/i.test(record);
    const hint = 'It lets every host send as the domain: change `+all` to `-all`.';
    return finding('found', records, isOpen ? hint : null);
  }
  const lacking = results.every((result) => result === 'pass') ? includes : wantedTerms;
  return finding('mismatch', records, spfFault(record, lacking, results, emptyTerms));
};

const spfFault = (
  record: string,
  wanted: readonly string[],
  results: readonly string[],
  emptyTerms: readonly string[],
): string => {
  const terms = wanted.join(' ');
  if (emptyTerms.length > 0) {
    const isOne = emptyTerms.length === 1;
    const faults = `${emptyTerms.map((each) => shownValue(each, MAX_TERM_CHARS)).join(', ')} ${isOne ? 'names a domain' : 'name domains'}`;
    return `The SPF record is invalid as a whole (RFC 7208 section 5.2): its ${isOne ? 'term' : 'terms'} ${faults} without an SPF record. Correct or remove ${isOne ? 'it' : 'them'}, and have ${terms} in the record, so that it reads: ${withMechanisms(withoutTerms(record, emptyTerms), wanted)}`;
  }
  if (results.includes('temperror')) {
    return 'A name in the SPF record could not be looked up in time. See that each of its include: and a: names resolves, then check again.';
  }
  if (results.includes('permerror')) {
    return `The SPF record is invalid, or needs more than 10 look-ups (RFC 7208 section 4.6.4): correct its terms, or remove include: terms that are not needed. Of this service it needs ${terms} alone.`;
  }
  return `The SPF record does not permit this service. Insert ${terms} before its last term, so that it reads: ${withMechanisms(record, wanted)}`;
};

export const judgeDmarc = (values: Values): Finding => {
  const records = values.filter(isDmarc);
  const [record] = records;
  if (record === undefined) {
    const pasted = values.some((value) => hasZoneSyntax(value) && isDmarc(withoutZoneSyntax(value)));
    const hint = pasted
      ? PASTED_SYNTAX
      : 'This TXT record is no DMARC record: replace its value. One begins with v=DMARC1.';
    return finding('mismatch', values, hint);
  }
  if (records.length > 1) {
    const hint = `There are ${records.length} DMARC records, and with more than one none applies (RFC 9989 section 4.10). Keep a single one.`;
    return finding('mismatch', records, hint);
  }
  const policy = tagsOf(record).get('p')?.toLowerCase();
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)) {
    return finding('mismatch', records, 'The DMARC record has no valid policy: add p=reject, p=quarantine or p=none.');
  }
  const advice = 'It works. p=none lets forged mail of the domain through: p=reject has it refused.';
  return finding('found', records, policy === 'none' ? advice : null);
};

/** @param wanted the value with this workspace's token */
export const judgeOwnership = (values: Values, wanted: string): Finding => {
  if (values.some((value) => value.trim() === wanted)) return finding('found', [wanted], null);
  if (values.some((value) => withoutZoneSyntax(value).trim() === wanted)) {
    return finding('mismatch', values, PASTED_SYNTAX);
  }
  const hint = values.some((value) => value.trim().startsWith('postroom-domain='))
    ? 'The token is that of another workspace, or of an earlier claim. Add a record with the token of this one; several may stand side by side.'
    : 'This TXT record holds no token: publish the value that is wanted beside it, or in its place.';
  return finding('mismatch', values, hint);
};

const squeezed = (value: string): string => value.replace(/\s+/g, '');

export interface DkimFacts {
  /** The whole wanted record. */
  wanted: string;
  /** Whether a signature by the key verifies against the sole value. */
  verifies: boolean;
}

export const judgeDkim = (values: Values, { wanted, verifies }: DkimFacts): Finding => {
  const [value = ''] = values;
  if (values.length > 1) {
    const hint = `There are ${values.length} TXT records at this name, and verifiers use any of them (RFC 6376 section 3.6.2.2). Keep the one that is wanted.`;
    return finding('mismatch', values, hint);
  }
  return verifies ? finding('found', values, null) : finding('mismatch', values, dkimFault(value, wanted));
};

const dkimFault = (value: string, wanted: string): string => {
  if (hasZoneSyntax(value)) return PASTED_SYNTAX;
  const key = squeezed(tagsOf(value).get('p') ?? '');
  const wantedKey = squeezed(tagsOf(wanted).get('p') ?? '');
  if (key !== '' && key.length < wantedKey.length && wantedKey.startsWith(key)) {
    return `The key is cut off after ${key.length} of ${wantedKey.length} characters. Enter the whole value; where the DNS provider takes at most 255 characters in one string, as several strings of one record.`;
  }
  if (!tagsOf(value).has('p')) return 'The value has no key (p=): replace it with the whole value that is wanted.';
  if (key === '') return 'The record revokes the key, since p= is empty: replace its value.';
  if (key === wantedKey)
    return 'The key is right, and its record has other tags that are not valid here: replace the whole value.';
  return 'The record holds another key: replace its value. Where it was replaced just now, wait until its TTL has passed.';
};

/** Judges `_mta-sts` and `_smtp._tls` by their version tags. */
export const judgePolicyText = (values: Values, version: 'STSv1' | 'TLSRPTv1', wanted: string): Finding => {
  const records = values.filter((value) => squeezed(value).startsWith(`v=${version}`));
  const [record] = records;
  if (record === undefined) return finding('mismatch', values, 'The value is another: replace it.');
  if (records.length > 1)
    return finding('mismatch', records, 'With several such records none applies: keep a single one.');
  if (version === 'TLSRPTv1') {
    const hint = 'It names no place for reports: add rua=.';
    return tagsOf(record).has('rua') ? finding('found', records, null) : finding('mismatch', records, hint);
  }
  const isSame = tagsOf(record).get('id') === tagsOf(wanted).get('id');
  return isSame
    ? finding('found', records, null)
    : finding(
        'mismatch',
        records,
        'The id is that of another policy: replace the value, so that senders fetch the policy anew.',
      );
};
