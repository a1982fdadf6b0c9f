/** The domains resource. */

import { isWithinReach, reachOfList } from '../../access/reach.ts';
import { type BaseDomainNeeds, ensureBaseDomain } from '../../domains/base-domain.ts';
import { toDnsRecords } from '../../domains/records.ts';
import { parseDomain } from '../../kernel/address.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { type Domain, findDomain, listDkimKeys, listDomains } from '../../store/accounts/domains.ts';
import type { domainsContract } from './contract.ts';
import { viewDomain, viewRecords } from './view.ts';

export interface DomainsNeeds extends Omit<BaseDomainNeeds, 'vaultKey'> {
  /** Null where the key file is missing: no DKIM keys can be sealed. */
  vaultKey: Buffer | null;
  hostname: string;
}

export const createDomains = (needs: DomainsNeeds): Handlers<typeof domainsContract> => {
  const { store, vaultKey, baseDomain, hostname } = needs;

  /** Its keys are made at the daemon's first start; DNS that is set up before that has them made now. */
  const ensureBase = async (): Promise<void> => {
    if (await findDomain(store.read, baseDomain)) return;
    if (!vaultKey) throw new ApiError('vault_unavailable');
    await ensureBaseDomain({ ...needs, vaultKey });
  };

  const recordsFor = async (domain: Domain) => {
    const keys = await listDkimKeys(store.read, domain.id);
    return { records: toDnsRecords(domain, keys, hostname), hasDkimKeys: keys.length > 0 };
  };

  const reachDomain = async (caller: PersonCaller, text: string): Promise<Domain> => {
    const name = parseDomain(text, 1);
    if (name === baseDomain && caller.kind === 'operator') await ensureBase();
    const domain = name && (await findDomain(store.read, name));
    if (domain && isWithinReach(caller, domain.workspaceId)) return domain;
    throw new ApiError('domain_not_found', { fields: { domain: text } });
  };

  return {
    list: async (caller, { workspace }) => {
      const reach = await reachOfList(store.read, caller, workspace);
      if (reach === null && vaultKey) await ensureBase();
      const views = (await listDomains(store.read, reach)).map(async (domain) => {
        const { records, hasDkimKeys } = await recordsFor(domain);
        return viewDomain(domain, records, hasDkimKeys);
      });
      return { domains: await Promise.all(views) };
    },

    records: async (caller, { domain }) => {
      const { records } = await recordsFor(await reachDomain(caller, domain));
      return { records: viewRecords(records) };
    },
  };
};
