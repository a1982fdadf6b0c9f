/** Checks of domains: their DNS look-ups, and the bounds of a check. */

import { getServers } from 'node:dns';
import type { FairQueue } from '../../budget/fair-queue.ts';
import { type Config, servedZone } from '../../config/config.ts';
import type { CheckLookups } from '../../domains/check/check-domain.ts';
import { createDomainChecks, type DomainChecks } from '../../domains/check/domain-checks.ts';
import type { Events } from '../../events/publish-events.ts';
import { domainOf } from '../../kernel/address.ts';
import { SECOND } from '../../kernel/clock.ts';
import { createAuthoritativeLookup } from '../../net/dns/authoritative-lookup.ts';
import { createRecursiveLookup, toDnsResolve } from '../../net/dns/fresh-lookup.ts';
import { createBudgetedQueries } from '../../net/dns/query-budget.ts';
import { cidrMatcher, isPrivateAddress } from '../../net/ip/address-range.ts';
import type { Notices } from '../../notices/notices.ts';
import { listWorkspaceOwners } from '../../store/owners/owners.ts';
import type { Instance } from '../instance.ts';
import { createTellOwners } from '../notices.ts';
import { toMailHost } from './mail-host.ts';

/** Bounds one check. Ten records take some 25 queries of a resolver, and about as many more where they are missing. */
const CHECK_BUDGET = { totalMs: 10 * SECOND, maxQueries: 80, parallel: 8 };
/** RFC 7208 section 4.6.4 permits 10 terms with look-ups; names behind mx terms are counted as well. */
const SPF_BUDGET = { totalMs: 10 * SECOND, maxQueries: 40, parallel: 4 };

const createLookups = ({ dns, network }: Config): (() => CheckLookups) => {
  const isAllowedPrivate = cidrMatcher(network.allow_private);
  const isAllowed = (ip: string) => !isPrivateAddress(ip) || isAllowedPrivate(ip);
  const start = (budget: typeof CHECK_BUDGET) => {
    const ask = createBudgetedQueries(budget);
    if (dns.resolvers.length > 0) return { lookup: createRecursiveLookup(ask, dns.resolvers), faults: () => [] };
    return createAuthoritativeLookup({ ask, resolvers: getServers(), isAllowed });
  };
  return () => ({ ...start(CHECK_BUDGET), resolveSpf: toDnsResolve(start(SPF_BUDGET).lookup) });
};

/** @param writeNotice tells an owner, in the transaction */
export const createChecks = (
  { store, config, runtime, vaultKey }: Pick<Instance, 'store' | 'config' | 'runtime' | 'vaultKey'>,
  events: Events,
  queue: Pick<FairQueue, 'run'>,
  writeNotice: Notices['write'],
): DomainChecks => {
  const isAllowedPrivate = cidrMatcher(config.network.allow_private);
  const tellOwners = createTellOwners(writeNotice, config);
  return createDomainChecks({
    store,
    queue,
    events,
    clock: runtime.clock,
    random: runtime.random,
    ...toMailHost(config),
    delegatedZone: servedZone(config),
    // Behind an address translation, recipients see another address.
    sourceAddresses: config.outbound.source_addresses.filter((ip) => !isPrivateAddress(ip) || isAllowedPrivate(ip)),
    vaultKey,
    startLookups: createLookups(config),
    notifyFailing: async (tx, { id, workspaceId }) => {
      if (workspaceId) await tellOwners(tx, workspaceId, { kind: 'domain-failing', data: { domainId: id } });
    },
    notifyVerified: async (tx, { id, name, workspaceId }) => {
      const owners = workspaceId ? await listWorkspaceOwners(tx.db, workspaceId) : [];
      const elsewhere = owners.filter(({ email }) => domainOf(email) !== name);
      if (elsewhere.length === owners.length) return;
      for (const { email: ownerEmail } of elsewhere) {
        await writeNotice(tx, { kind: 'domain-verified', data: { domainId: id }, ownerEmail });
      }
    },
  });
};
