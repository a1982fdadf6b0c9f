/** The domains resource, as agents use it. */

import { ApiError } from '../../kernel/errors.ts';
import type { DomainId, WorkspaceId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { type Domain, findDomainById, listDomains } from '../../store/accounts/domains.ts';
import type { domainsContract } from './contract.ts';
import { createDomainBook, type DomainBookNeeds } from './domain-book.ts';
import { viewAgentDomain } from './view.ts';

export const createDomains = (needs: DomainBookNeeds): Handlers<typeof domainsContract> => {
  const { store } = needs;
  const book = createDomainBook(needs);

  /** @throws ApiError not_found, also for another workspace's */
  const requireDomain = async (workspaceId: WorkspaceId, id: DomainId): Promise<Domain> => {
    const domain = await findDomainById(store.read, id);
    if (domain?.workspaceId !== workspaceId) throw new ApiError('not_found');
    return domain;
  };

  return {
    list: async ({ workspaceId }) => {
      const domains = await listDomains(store.read, workspaceId);
      const views = await Promise.all(domains.map((domain) => book.view(store.read, domain)));
      return { domains: views.map(viewAgentDomain) };
    },
    add: async ({ workspaceId }, { domain }, { record }) => book.add(workspaceId, domain, record, viewAgentDomain),
    verify: async ({ workspaceId }, { id }, { record }) =>
      book.verify(await requireDomain(workspaceId, id), record, viewAgentDomain),
    remove: async ({ workspaceId }, { id }, { record }) =>
      book.remove(await requireDomain(workspaceId, id), record, { deleted: true as const }),
  };
};
