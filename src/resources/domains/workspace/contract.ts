/** Domains and the DNS records to publish for them, as owners and the operator manage them. */

import { z } from 'zod';
import { REACH_ERRORS, workspaceInput } from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { ADD_ERRORS, domainShape, nameInput, REMOVE_ERRORS, recordShape, VERIFY_ERRORS } from '../contract.ts';

const personDomain = domainShape.extend({
  kind: z
    .enum(['base', 'subdomain', 'custom'])
    .describe('base: the base domain of the instance, which no workspace has and the operator alone sees'),
});

const ownersOnDomain = {
  owners_on_domain: z
    .array(z.string())
    .describe(
      'Owners with an address on the domain: once it is verified, neither links nor notices are mailed there, as agents may read them',
    ),
};

/** The workspace matters where several have added the domain. */
const domainInput = z.strictObject({ domain: z.string().min(1).max(300), workspace: workspaceInput });
const DOMAIN_ERRORS = [...REACH_ERRORS, 'domain_not_found', 'domain_ambiguous'] as const;

export const workspaceDomainsContract = {
  list: personOperation({
    name: 'list_workspace_domains',
    activity: null,
    summary: 'Lists domains with their records; the operator sees the base domain as well.',
    input: z.strictObject({ workspace: workspaceInput }),
    output: z.object({ domains: z.array(personDomain) }),
    errors: REACH_ERRORS,
  }),
  add: personOperation({
    name: 'add_workspace_domain',
    activity: 'domain.add',
    summary: 'Adds a custom domain to a workspace.',
    input: z.strictObject({ domain: nameInput, workspace: workspaceInput }),
    output: personDomain.extend({ created: z.boolean(), ...ownersOnDomain }),
    errors: [...REACH_ERRORS, ...ADD_ERRORS],
  }),
  verify: personOperation({
    name: 'check_workspace_domain',
    activity: 'domain.check',
    summary: 'Looks the records of a domain up, and verifies it once all required ones are found.',
    input: domainInput,
    output: personDomain.extend(ownersOnDomain),
    errors: [...DOMAIN_ERRORS, ...VERIFY_ERRORS],
  }),
  remove: personOperation({
    name: 'remove_workspace_domain',
    activity: 'domain.remove',
    summary: 'Removes a custom domain, if it has no mailboxes.',
    input: domainInput,
    output: z.object({ domain: z.string(), removed: z.literal(true) }),
    errors: [...DOMAIN_ERRORS, ...REMOVE_ERRORS],
  }),
  rotateDkim: personOperation({
    name: 'rotate_dkim',
    activity: 'domain.rotate_dkim',
    summary: 'Has the DKIM key that is published ahead sign, and makes the one after it.',
    input: domainInput,
    output: personDomain,
    errors: [...DOMAIN_ERRORS, 'dkim_key_not_published', 'vault_unavailable', 'overloaded'],
  }),
  records: personOperation({
    name: 'list_dns_records',
    activity: null,
    summary: 'Lists the DNS records to publish for a domain, as the last check found them.',
    input: domainInput,
    output: z.object({ domain: z.string(), hostname: z.string(), records: z.array(recordShape) }),
    errors: [...DOMAIN_ERRORS, 'vault_unavailable'],
  }),
  check: personOperation({
    name: 'get_dns_check',
    activity: null,
    summary: 'Looks the records of a domain up, and changes nothing.',
    input: domainInput,
    output: z.object({
      domain: z.string(),
      status: z.enum(['pending', 'verified', 'failing']).describe('As before the check, which does not change it'),
      sufficient: z
        .boolean()
        .describe('Whether the domain can become or stay verified; then the next DKIM key alone may be missing'),
      hint: z.string().nullable(),
      records: z.array(recordShape),
    }),
    errors: [...DOMAIN_ERRORS, 'vault_unavailable', 'overloaded'],
  }),
};
