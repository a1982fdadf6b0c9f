/** Domains of a workspace: its own subdomain, and custom domains with their owner's consent. */

import { z } from 'zod';
import { idInput, idOutput, pathId, timeOutput } from '../../kernel/fields.ts';
import { EVERYONE, field, operation, personOperation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';

const recordShape = named(
  'DnsRecord',
  z.object({
    purpose: z.enum(['mx', 'dkim', 'spf', 'dmarc', 'ownership', 'mta_sts', 'tls_rpt']),
    type: z.enum(['MX', 'TXT', 'CNAME']),
    name: z.string(),
    value: z.string(),
    priority: z.int().nullable(),
    ttl: z.int(),
    required: z.boolean(),
    status: z.enum(['found', 'missing', 'mismatch', 'unchecked']).describe('As the last check found it'),
    role: z
      .enum(['signing', 'next', 'retiring'])
      .nullable()
      .describe('Of a DKIM key: signing, next (signs after a rotation) or retiring; null for other records'),
    found: untrustedText(z.array(z.string()), 'zone').describe('What was published there'),
    hint: z.string().nullable().describe('What to change'),
  }),
);

const domainShape = z.object({
  id: idOutput,
  domain: z.string(),
  kind: z.enum(['subdomain', 'custom']),
  status: z.enum(['pending', 'verified', 'failing']),
  can_send: z.boolean(),
  receives: z
    .boolean()
    .describe('false: its mail is received by another server, as its MX record says, or it is pending'),
  records: z.array(recordShape),
  dkim_records_pending: z.boolean(),
  dkim_status: z
    .enum(['pending', 'verified', 'failing'])
    .describe('pending: not checked yet; failing: the record of a signing key is missing or wrong'),
  hint: z.string().nullable().describe("What is wrong with the domain's name servers"),
  verified_at: timeOutput.nullable(),
  last_checked_at: timeOutput.nullable(),
  created_at: timeOutput,
});

const agentDomain = named('Domain', domainShape);

const personDomain = domainShape.extend({
  kind: z
    .enum(['base', 'subdomain', 'custom'])
    .describe('base: the base domain of the instance, which no workspace has and the operator alone sees'),
});

const listedDomain = personDomain.extend({
  workspace: z.string().nullable().describe('The slug of whose domain it is; null: the base domain'),
});

const ownersOnDomain = {
  owners_on_domain: z
    .array(z.string())
    .describe(
      'Owners with an address on the domain: once it is verified, neither links nor notices are mailed there, as agents may read them',
    ),
};

/** A person gives the name, and the workspace where several have added the domain. */
const namedDomain = z.strictObject({ domain: z.string().min(1).max(300) });

const nameInput = field(
  { missing: 'invalid_domain', empty: 'invalid_domain', invalid: 'invalid_domain' },
  z.string().min(1).max(300),
);

const ADD_ERRORS = [
  'invalid_domain',
  'custom_domain_limit_reached',
  'domain_taken',
  'holds_a_secret',
  'vault_unavailable',
] as const;
const VERIFY_ERRORS = ['domain_taken', 'vault_unavailable', 'overloaded'] as const;
const REMOVE_ERRORS = ['subdomain_not_removable', 'domain_in_use'] as const;

export const domainsContract = {
  list: operation({
    name: 'list_domains',
    audience: EVERYONE,
    // Without it the operator sees the domains of all workspaces, and the base domain.
    workspace: 'optional',
    persons: { output: z.object({ domains: z.array(listedDomain) }) },
    route: 'GET /v1/domains',
    scope: 'mail:read',
    summary: 'Lists domains, with the DNS records that each needs.',
    output: z.object({ domains: z.array(agentDomain) }),
  }),
  add: operation({
    name: 'add_domain',
    audience: EVERYONE,
    persons: { output: personDomain.extend({ created: z.boolean(), ...ownersOnDomain }) },
    activity: 'domain.add',
    route: 'POST /v1/domains',
    scope: 'manage',
    reach: 'workspace',
    summary:
      'Adds a custom domain: the reply has the DNS records to publish. One that is there already is answered with 200.',
    input: z.strictObject({ domain: nameInput }),
    example: { domain: 'shop.example.com' },
    output: domainShape.extend({ created: z.boolean().describe('false: the workspace had it already') }),
    statuses: [201, 200],
    statusOf: ({ created }) => (created ? 201 : 200),
    errors: ADD_ERRORS,
    tool: { when: 'before you publish its records and call verify_domain', returns: 'the domain and its records' },
  }),
  verify: operation({
    name: 'verify_domain',
    audience: EVERYONE,
    workspace: 'optional',
    persons: { input: namedDomain, output: personDomain.extend(ownersOnDomain) },
    activity: 'domain.check',
    route: 'POST /v1/domains/{id}/verify',
    scope: 'manage',
    reach: 'workspace',
    summary:
      "Checks a domain's records, and says what to change; verifies the domain once all required ones are found.",
    input: z.strictObject({ id: pathId<'domain'>('not_found') }),
    output: agentDomain,
    errors: [...VERIFY_ERRORS],
    tool: {
      when: 'after its records were published',
      returns: 'the domain; each record with status, found and hint',
      hints: { idempotent: true, openWorld: true },
    },
  }),
  remove: operation({
    name: 'delete_domain',
    audience: EVERYONE,
    workspace: 'optional',
    persons: { input: namedDomain, output: z.object({ domain: z.string(), removed: z.literal(true) }) },
    activity: 'domain.remove',
    route: 'DELETE /v1/domains',
    scope: 'manage',
    reach: 'workspace',
    summary: 'Removes a domain, if it has no mailboxes.',
    input: z.strictObject({ id: field({ missing: 'id_required', invalid: 'not_found' }, idInput<'domain'>()) }),
    output: z.object({ deleted: z.literal(true) }),
    errors: [...REMOVE_ERRORS],
  }),
  /** Has the DKIM key that is published ahead sign, and makes the one after it. */
  rotateDkim: personOperation({
    workspace: 'optional',
    activity: 'domain.rotate_dkim',
    input: namedDomain,
    output: personDomain,
  }),
  /** Lists the DNS records to publish for a domain, as the last check found them. */
  records: personOperation({
    workspace: 'optional',
    input: namedDomain,
    output: z.object({ domain: z.string(), hostname: z.string(), records: z.array(recordShape) }),
  }),
  /** Looks the records of a domain up, and changes nothing. */
  check: personOperation({
    workspace: 'optional',
    input: namedDomain,
    output: z.object({
      domain: z.string(),
      status: z.enum(['pending', 'verified', 'failing']).describe('As before the check, which does not change it'),
      sufficient: z
        .boolean()
        .describe('Whether the domain can become or stay verified; then the next DKIM key alone may be missing'),
      hint: z.string().nullable(),
      records: z.array(recordShape),
    }),
  }),
};

export type AgentDomainView = z.infer<typeof agentDomain>;
export type DnsRecordView = z.infer<typeof recordShape>;
