/** Domains as a person manages them: reached by name, in one workspace or in all of the instance. */

import { isWithinReach, reachOfList, reachWorkspace } from '../../../access/reach.ts';
import { type BaseDomainNeeds, ensureBaseDomain } from '../../../domains/base-domain.ts';
import { nextState } from '../../../domains/check/domain-state.ts';
import { dkimName, toDnsRecords } from '../../../domains/records.ts';
import { findNextKey, prepareRotation, rotateDkim } from '../../../domains/rotate-dkim.ts';
import { type DomainName, parseDomain } from '../../../kernel/address.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import {
  type Domain,
  findDomain,
  findLiveDomainsByName,
  listDkimKeys,
  listLiveDomains,
} from '../../../store/accounts/domains.ts';
import { findWorkspaceById } from '../../../store/accounts/workspaces.ts';
import { listOwnersOn } from '../../../store/owners/own-addresses.ts';
import { createDomainBook, type DomainBookNeeds } from '../domain-book.ts';
import { viewRecords } from '../view.ts';
import type { workspaceDomainsContract } from './contract.ts';

export interface WorkspaceDomainsNeeds extends DomainBookNeeds, Omit<BaseDomainNeeds, 'vaultKey'> {}

interface DomainInput {
  domain: string;
  workspace?: string | undefined;
}

export const createWorkspaceDomains = (needs: WorkspaceDomainsNeeds): Handlers<typeof workspaceDomainsContract> => {
  const { store, clock, vaultKey, baseDomain, hostname, checks } = needs;
  const book = createDomainBook(needs);

  /** Its keys are made at the daemon's first start; DNS that is set up before that has them made now. */
  const ensureBase = async (): Promise<void> => {
    if (await findDomain(store.read, baseDomain)) return;
    if (!vaultKey) throw new ApiError('vault_unavailable');
    await ensureBaseDomain({ ...needs, vaultKey });
  };

  /** The verified one where several workspaces have added it. */
  const reachDomain = async (caller: PersonCaller, { domain: text, workspace }: DomainInput): Promise<Domain> => {
    const name = parseDomain(text, 1);
    if (name === baseDomain && caller.kind === 'operator') await ensureBase();
    const within = workspace === undefined ? null : (await reachWorkspace(store.read, caller, workspace)).id;
    const claims = name === null ? [] : await findLiveDomainsByName(store.read, name);
    const [found, ...others] = claims.filter(
      ({ workspaceId }) => isWithinReach(caller, workspaceId) && (within === null || workspaceId === within),
    );
    if (!found) throw new ApiError('domain_not_found', { fields: { domain: text } });
    if (others.length > 0 && found.status !== 'verified') {
      const workspaces = await Promise.all(
        [found, ...others].map(({ workspaceId }) => workspaceId && findWorkspaceById(store.read, workspaceId)),
      );
      const candidates = workspaces.flatMap((each) => (each ? { id: each.id, slug: each.slug, name: each.name } : []));
      throw new ApiError('domain_ambiguous', { fields: { domain: text, candidates } });
    }
    return found;
  };

  const findOwnersOn = async (workspaceId: WorkspaceId | null, name: DomainName | null) => ({
    owners_on_domain: workspaceId && name ? await listOwnersOn(store.read, workspaceId, name) : [],
  });

  return {
    list: async (caller, { workspace }) => {
      const reach = await reachOfList(store.read, caller, workspace);
      if (reach === null && vaultKey) await ensureBase();
      const domains = await listLiveDomains(store.read, reach);
      return { domains: await Promise.all(domains.map((domain) => book.view(store.read, domain))) };
    },

    add: async (caller, { domain, workspace }, { record }) => {
      const { id } = await reachWorkspace(store.read, caller, workspace);
      const on = await findOwnersOn(id, parseDomain(domain));
      return book.add(id, domain, record, (view) => ({ ...view, ...on }));
    },

    verify: async (caller, input, { record }) => {
      const domain = await reachDomain(caller, input);
      const on = await findOwnersOn(domain.workspaceId, domain.name);
      return book.verify(domain, record, (view) => ({ ...view, ...on }));
    },

    remove: async (caller, input, { record }) => {
      const domain = await reachDomain(caller, input);
      return book.remove(domain, record, { domain: domain.name, removed: true as const });
    },

    rotateDkim: async (caller, input, { record }) => {
      const domain = await reachDomain(caller, input);
      if (!vaultKey) throw new ApiError('vault_unavailable');
      const next = findNextKey(await listDkimKeys(store.read, domain.id));
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

    records: async (caller, input) => {
      const domain = await reachDomain(caller, input);
      const { records } = await book.view(store.read, domain);
      return { domain: domain.name, hostname, records };
    },

    check: async (caller, input) => {
      const domain = await reachDomain(caller, input);
      const records = toDnsRecords(domain, await listDkimKeys(store.read, domain.id), needs);
      const check = await checks.run(domain);
      const { result } = check;
      const { name, status } = domain;
      // As a verification now would find it.
      const sufficient = nextState(domain, check, clock.now(), true).change.status === 'verified';
      return { domain: name, status, sufficient, hint: result.hint, records: viewRecords(records, result) };
    },
  };
};
