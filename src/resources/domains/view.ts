/** Stored domains in the interface's shape. */

import type { DnsRecord } from '../../domains/records.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import type { CheckResult, DkimKey, Domain } from '../../store/accounts/domains.ts';
import type { AgentDomainView, DnsRecordView } from './contract.ts';

export type DomainView = Omit<AgentDomainView, 'kind'> & { kind: Domain['kind'] };

/** A record that changed since the check, by a rotation for example, is unchecked. */
export const viewRecords = (records: readonly DnsRecord[], result: CheckResult | null): DnsRecordView[] =>
  records.map((record) => {
    const { type, name, value } = record;
    const checked = result?.records.find((each) => each.type === type && each.name === name && each.value === value);
    return {
      ...record,
      status: checked?.status ?? 'unchecked',
      found: checked?.found ?? [],
      hint: checked?.hint ?? null,
    };
  });

const toDkimStatus = ({ status }: Domain, records: readonly DnsRecordView[]): DomainView['dkim_status'] => {
  const signing = records.filter(({ role }) => role === 'signing');
  if (signing.length > 0 && signing.every((each) => each.status === 'found')) return 'verified';
  const isFaulty = signing.some((each) => each.status === 'missing' || each.status === 'mismatch');
  return status === 'failing' || isFaulty ? 'failing' : 'pending';
};

export const viewDomain = (domain: Domain, records: readonly DnsRecord[], keys: readonly DkimKey[]): DomainView => {
  const views = viewRecords(records, domain.checkResult);
  return {
    id: domain.id,
    domain: domain.name,
    kind: domain.kind,
    status: domain.status,
    // A subdomain of the base domain may send at once; a custom domain only while it is verified.
    can_send: domain.kind !== 'custom' || domain.status === 'verified',
    // Before the verification it is unknown whether mail arrives here.
    receives: domain.kind !== 'custom' || (domain.status !== 'pending' && domain.receives),
    records: views,
    dkim_records_pending: keys.length === 0,
    dkim_status: toDkimStatus(domain, views),
    hint: domain.checkResult?.hint ?? null,
    verified_at: isoTimeOrNull(domain.verifiedAt),
    last_checked_at: isoTimeOrNull(domain.lastCheckedAt),
    created_at: isoTime(domain.createdAt),
  };
};

/** A workspace never has the base domain. */
export const viewAgentDomain = ({ kind, ...view }: DomainView): AgentDomainView => ({
  ...view,
  kind: kind === 'custom' ? kind : 'subdomain',
});
