/** The domains resource: an agent names a domain by its id, a person by its name. */

import { isWithinReach } from '../../access/reach.ts';
import { type BaseDomainNeeds, ensureBaseDomain } from '../../domains/base-domain.ts';
import { nextState } from '../../domains/check/domain-state.ts';
import { dkimName, toDnsRecords } from '../../domains/records.ts';
import { findNextKey, prepareRotation, rotateDkim } from '../../domains/rotate-dkim.ts';
import { type DomainName, parseDomain } from '../../kernel/address.ts';
import { type Caller, isPerson, type PersonCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { CallerOf, Handlers } from '../../kernel/handlers.ts';
import type { DomainId, WorkspaceId } from '../../kernel/ids.ts';
import {
  type Domain,
  findDomain,
  findDomainById,
  findLiveDomainsByName,
  listDkimKeys,
  listDomains,
  listLiveDomains,
} from '../../store/accounts/domains.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { listOwnersOn } from '../../store/owners/own-addresses.ts';
import type { AgentDomainView, domainsContract } from './contract.ts';
import { createDomainBook, type DomainBookNeeds } from './domain-book.ts';
import { type DomainView, viewAgentDomain, viewRecords } from './view.ts';

export interface DomainsNeeds extends DomainBookNeeds, Omit<BaseDomainNeeds, 'vaultKey'> {}

export const createDomains = (needs: DomainsNeeds): Handlers<typeof domainsContract> => {
  const { store, clock, vaultKey, baseDomain, hostname, checks } = needs;
  const { read } = store;
  const book = createDomainBook(needs);

  /** The daemon's first start makes its keys; DNS that is set up earlier makes them here. */
  const ensureBase = async (): Promise<void> => {
    if (await findDomain(read, baseDomain)) return;
    if (!vaultKey) throw new ApiError('vault_unavailable');
    await ensureBaseDomain({ ...needs, vaultKey });
  };

  /** Prefers the verified claim where several workspaces have added the name. */
  const reachByName = async (caller: PersonCaller, text: string): Promise<Domain> => {
    const name = parseDomain(text, 1);
    if (name === baseDomain && caller.kind === 'operator') await ensureBase();
    const claims = name === null ? [] : await findLiveDomainsByName(read, name);
    const [found, ...others] = claims.filter(({ workspaceId }) => isWithinReach(caller, workspaceId));
    if (!found) throw new ApiError('domain_not_found', { fields: { domain: text } });
    if (others.length > 0 && found.status !== 'verified') {
      const workspaces = await Promise.all(
        [found, ...others].map(({ workspaceId }) => workspaceId && findWorkspaceById(read, workspaceId)),
      );
      const candidates = workspaces.flatMap((each) => (each ? { id: each.id, slug: each.slug, name: each.name } : []));
      throw new ApiError('domain_ambiguous', { fields: { domain: text, candidates } });
    }
    return found;
  };

  const reachDomain = async (
    caller: CallerOf<typeof domainsContract.verify>,
    named: { id: DomainId } | { domain: string },
  ): Promise<Domain> => {
    if (isPerson(caller)) return reachByName(caller, 'domain' in named ? named.domain : '');
    const domain = 'id' in named ? await findDomainById(read, named.id) : null;
    if (domain?.workspaceId !== caller.workspaceId) throw new ApiError('not_found');
    return domain;
  };

  /** A person also sees which owners have an address there. */
  const viewerFor = async (
    caller: Caller,
    { workspaceId, name }: { workspaceId: WorkspaceId | null; name: DomainName | null },
  ): Promise<(view: DomainView) => AgentDomainView | (DomainView & { owners_on_domain: string[] })> => {
    if (!isPerson(caller)) return viewAgentDomain;
    const owners_on_domain = workspaceId && name ? await listOwnersOn(read, workspaceId, name) : [];
    return (view) => ({ ...view, owners_on_domain });
  };

  return {
    list: async (caller) => {
      const { workspaceId = null } = caller;
      if (workspaceId === null && vaultKey) await ensureBase();
      const domains = await (caller.kind === 'agent'
        ? listDomains(read, caller.workspaceId)
        : listLiveDomains(read, workspaceId));
      const views = await Promise.all(domains.map((domain) => book.view(read, domain)));
      return { domains: isPerson(caller) ? views : views.map(viewAgentDomain) };
    },

    add: async (caller, { domain }, { record }) => {
      const { workspaceId } = caller;
      const toAnswer = await viewerFor(caller, { workspaceId, name: parseDomain(domain) });
      return book.add(workspaceId, domain, record, toAnswer);
    },

    verify: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      return book.verify(domain, record, await viewerFor(caller, domain));
    },

    remove: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      const answer = isPerson(caller) ? { domain: domain.name, removed: true as const } : { deleted: true as const };
      return book.remove(domain, record, answer);
    },

    rotateDkim: async (caller, named, { record }) => {
      const domain = await reachDomain(caller, named);
      if (!vaultKey) throw new ApiError('vault_unavailable');
      const next = findNextKey(await listDkimKeys(read, domain.id));
      const { result } = await book.check(domain);
      const name = next && dkimName(next.selector, domain.name);
      const published = result.records.find((each) => each.name === name);
      if (!next || published?.status !== 'found') {
        const fields = { domain: domain.name, name, hint: published?.hint ?? null };
        throw new ApiError('dkim_key_not_published', { fields });
      }
      const successor = await prepareRotation({ store, clock, vaultKey }, domain);
      return store.write(async (tx) => {
        if (!(await rotateDkim(tx, domain, next, successor, clock))) {
          throw new ApiError('dkim_key_not_published', { fields: { domain: domain.name, name, hint: null } });
        }
        const { workspaceId, name: subject, id } = domain;
        const detail = { domain_id: id, signs: next.selector, next: successor.selector };
        return record(tx, { workspaceId, subject, detail }, await book.view(tx.db, domain));
      });
    },

    records: async (caller, named) => {
      const domain = await reachDomain(caller, named);
      const { records } = await book.view(read, domain);
      return { domain: domain.name, hostname, records };
    },

    check: async (caller, named) => {
      const domain = await reachDomain(caller, named);
      const records = toDnsRecords(domain, await listDkimKeys(read, domain.id), needs);
      const check = await checks.run(domain);
      const { result } = check;
      const { name, status } = domain;
      // The state after a verification now.
      const sufficient = nextState(domain, check, clock.now(), true).change.status === 'verified';
      return { domain: name, status, sufficient, hint: result.hint, records: viewRecords(records, result) };
    },
  };
};
