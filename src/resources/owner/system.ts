/** The box's own sender: what it tells owners comes from an address of the base domain, through the same gate. */

import { parseAddress } from '../../kernel/address.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { findAgent, insertAgent } from '../../store/agents.ts';
import { findDomain } from '../../store/domains.ts';
import { insertWorkspace } from '../../store/workspaces.ts';
import { ensureBaseDomain, type ProvisionNeeds } from './workspaces.ts';

/** Reserved: no agent can have it. */
const HANDLE = 'noreply';

/** Makes the base domain and the sender on it, once. @returns the sender's agent */
export const ensureSystemAgent = async (needs: ProvisionNeeds): Promise<AgentId> => {
  const { store, clock, newId, baseDomain } = needs;
  await ensureBaseDomain(needs);
  const address = parseAddress(`${HANDLE}@${baseDomain}`);
  if (!address) throw new Error(`${baseDomain} makes no address.`);
  return store.write(async (tx) => {
    const known = await findAgent(tx.db, address);
    if (known) return known.id;
    const domain = await findDomain(tx.db, baseDomain);
    if (!domain) throw new Error('The base domain was not kept.');
    const now = clock.now();
    const workspaceId = newId<'workspace'>();
    await insertWorkspace(tx, {
      id: workspaceId,
      name: 'Postroom',
      // No name makes a slug like it, so that it takes nobody's.
      slug: '-postroom',
      ownerEmail: address,
      plan: 'unlimited',
      verifiedAt: now,
      createdAt: now,
      hidden: true,
      tier: 'standard',
    });
    const id = newId<'agent'>();
    await insertAgent(tx, {
      id,
      workspaceId,
      handle: HANDLE,
      displayName: 'Postroom',
      description: null,
      filterMode: 'blacklist',
      hold: false,
      guard: false,
      mailboxId: newId<'mailbox'>(),
      domainId: domain.id,
      address,
      status: 'active',
      createdAt: now,
    });
    return id;
  });
};
