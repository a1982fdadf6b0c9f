/** The domains whose MTA-STS policy this instance serves. */

import type { DomainName } from '../../kernel/address.ts';
import type { Db } from '../store.ts';

/** More have no certificate for their policy host. */
const MAX_DOMAINS = 1_000;

/**
 * Names of verified custom domains and of subdomains of workspaces whose owner is verified, the oldest first: what a signup
 * alone has made gets no certificate.
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
