/** Lists the domains with an MTA-STS policy served by this instance. */

import type { DomainName } from '../../kernel/address.ts';
import type { Db } from '../store.ts';

/** Domains beyond it get no certificate for their policy host. */
const MAX_DOMAINS = 1_000;

/**
 * Names of verified custom domains, and of subdomains of workspaces with a verified owner, the oldest first. An
 * unclaimed signup gets no certificate.
 */
export const listPolicyDomains = async (db: Db): Promise<DomainName[]> => {
  const rows = await db
    .selectFrom('domains')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspace_id')
    .select('domains.name')
    .where('workspaces.removed_at', 'is', null)
    .where('workspaces.verified_at', 'is not', null)
    .where((where) => where.or([where('domains.kind', '=', 'subdomain'), where('domains.status', '=', 'verified')]))
    .orderBy('domains.created_at')
    .orderBy('domains.name')
    .limit(MAX_DOMAINS)
    .execute();
  return rows.map(({ name }) => name);
};
