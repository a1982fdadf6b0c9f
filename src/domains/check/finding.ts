/** A check's finding about one record, and the change that its owner should make. */

import { bareName, type FreshAnswer } from '../../net/dns/fresh-lookup.ts';
import type { CheckedRecord } from '../../store/accounts/domains.ts';

export type Finding = Pick<CheckedRecord, 'status' | 'found' | 'hint'>;

/** The answer for a random label of the domain: a wildcard record, where there is one. */
export interface Wildcard {
  readonly values: readonly string[];
  readonly aliases: readonly string[];
}

export const NO_WILDCARD: Wildcard = { values: [], aliases: [] };

/** Values shown for one name, and characters of each: an outsider publishes them. */
const MAX_VALUES = 8;
const MAX_CHARS = 600;

/** A hint may contain a corrected record. */
const MAX_HINT_CHARS = 1_200;

/** Printable ASCII alone, so that a record can neither steer a terminal nor break a line. */
export const shownValue = (value: string, maxChars = MAX_CHARS): string => {
  const text = value.slice(0, maxChars).replace(/[^\x20-\x7e]/g, '?');
  return value.length > maxChars ? `${text}...` : text;
};

export const finding = (status: Finding['status'], values: readonly string[], hint: string | null): Finding => ({
  status,
  found: values.slice(0, MAX_VALUES).map((value) => shownValue(value)),
  hint: hint && shownValue(hint, MAX_HINT_CHARS),
});

/** The reason of a failed look-up, and the owner's remedy. */
export const judgeFailure = (name: string, answer: FreshAnswer & { kind: 'failed' }): Finding =>
  finding(
    'unchecked',
    [],
    answer.isBogus
      ? `DNSSEC of ${name} is broken: validating resolvers answer SERVFAIL, and answer once validation is off. Sign the zone again, or correct or remove the DS record at the registrar.`
      : `${name} could not be looked up (${shownValue(answer.reason)}). See that every name server of the domain answers, then check again.`,
  );

/** The hint for a name without the record. @param doubled the name that has it, with the domain written twice */
export const judgeMissing = (record: string, name: string, doubled: string | null, alias: string | null): Finding => {
  if (doubled !== null) {
    const hint = `The ${record} stands at ${doubled}: the DNS provider appends the domain by itself. Enter the name without the domain at its end, so that it becomes ${name}.`;
    return finding('missing', [], hint);
  }
  if (alias !== null) {
    const hint = `A CNAME at ${name} leads to ${shownValue(alias)}, which has no such record. Remove the CNAME and publish the ${record} in its place.`;
    return finding('mismatch', [`CNAME ${alias}`], hint);
  }
  return finding('missing', [], `Publish this ${record} at ${name}.`);
};

/** Whether the answer equals the wildcard's, so that the name has no record of its own. */
export const isWildcardAnswer = (answer: FreshAnswer<string>, wildcard: Wildcard): boolean => {
  if (answer.kind === 'failed') return false;
  const [alias] = answer.aliases;
  if (alias !== undefined && alias === wildcard.aliases[0]) return true;
  return answer.values.length > 0 && answer.values.every((value) => wildcard.values.includes(value));
};

export const judgeWildcard = (record: string, domain: string, name: string, values: readonly string[]): Finding =>
  finding(
    'missing',
    values,
    `The wildcard record *.${domain} answers for ${name}, which has no record of its own. Publish this ${record} there; a record of its own goes before the wildcard.`,
  );

export const sameName = (a: string, b: string): boolean => bareName(a) === bareName(b);

/** Whether `found` is the wanted host with the name of a zone behind it, as many a DNS provider completes a name. */
export const isCompleted = (found: string, wanted: string): boolean =>
  bareName(found).startsWith(`${bareName(wanted)}.`);

export const completedHint = (record: string, found: string, wanted: string): string =>
  `The ${record} names ${shownValue(found)}: the DNS provider appends the domain to a name without a dot at its end. Enter ${bareName(wanted)}. with the dot.`;

/** Detects a value that was pasted with the quotes or backslashes of a zone file. */
export const withoutZoneSyntax = (value: string): string =>
  value
    .replace(/^\s*"|"\s*$/g, '')
    .replace(/"\s+"/g, '')
    .replace(/\\(?=[;"\\])/g, '');

export const hasZoneSyntax = (value: string): boolean => withoutZoneSyntax(value) !== value;
