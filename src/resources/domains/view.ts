/** Stored domains in the shape that persons see. */

import type { DnsRecord } from '../../domains/records.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { DnsRecordView, DomainView } from './contract.ts';

const viewRecord = (record: DnsRecord): DnsRecordView => ({ ...record, status: 'unchecked', found: [] });

export const viewRecords = (records: readonly DnsRecord[]): DnsRecordView[] => records.map(viewRecord);

export const viewDomain = (domain: Domain, records: readonly DnsRecord[], hasDkimKeys: boolean): DomainView => ({
  id: domain.id,
  domain: domain.name,
  kind: domain.kind,
  status: domain.status,
  // A subdomain of the base domain may send at once; a custom domain only once its owner is verified.
  can_send: domain.kind !== 'custom' || domain.status === 'verified',
  records: viewRecords(records),
  dkim_records_pending: !hasDkimKeys,
  dkim_status: domain.status,
  verified_at: isoTimeOrNull(domain.verifiedAt),
  last_checked_at: isoTimeOrNull(domain.lastCheckedAt),
  created_at: isoTime(domain.createdAt),
});
