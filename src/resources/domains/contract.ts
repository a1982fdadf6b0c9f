/** Domains and the DNS records to publish for them, as owners and the operator see them. */

import { z } from 'zod';
import { idOutput, REACH_ERRORS, timeOutput, workspaceInput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';

/** A record. The DNS is not asked what it holds. */
const recordShape = z.object({
  purpose: z.enum(['mx', 'dkim', 'spf', 'dmarc', 'ownership', 'mta_sts', 'tls_rpt']),
  type: z.enum(['MX', 'TXT', 'CNAME']),
  name: z.string(),
  value: z.string(),
  priority: z.int().nullable(),
  ttl: z.int(),
  required: z.boolean(),
  status: z.literal('unchecked'),
  found: z.array(z.string()),
});

const domainShape = z.object({
  id: idOutput,
  domain: z.string(),
  kind: z.enum(['base', 'subdomain', 'custom']),
  status: z.enum(['pending', 'verified', 'failing']),
  can_send: z.boolean(),
  records: z.array(recordShape),
  dkim_records_pending: z.boolean(),
  dkim_status: z.enum(['pending', 'verified', 'failing']),
  verified_at: timeOutput.nullable(),
  last_checked_at: timeOutput.nullable(),
  created_at: timeOutput,
});

export const domainsContract = {
  list: personOperation({
    name: 'list_domains',
    activity: null,
    summary: 'Lists domains with their records; the operator sees the base domain as well.',
    input: z.strictObject({ workspace: workspaceInput }),
    output: z.object({ domains: z.array(domainShape) }),
    errors: REACH_ERRORS,
  }),
  records: personOperation({
    name: 'list_dns_records',
    activity: null,
    summary: 'Lists the DNS records to publish for a domain.',
    input: z.strictObject({ domain: z.string() }),
    output: z.object({ records: z.array(recordShape) }),
    errors: ['domain_not_found', 'vault_unavailable'],
  }),
};

export type DomainView = z.infer<typeof domainShape>;
export type DnsRecordView = z.infer<typeof recordShape>;
