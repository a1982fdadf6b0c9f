/** Adds an agent: an identity, its mailbox and its address. */

import { requireNoOwner } from '../../access/own-address.ts';
import type { Address } from '../../kernel/address.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isHandle, reservedHandleHint } from '../../kernel/fields.ts';
import { type Agent, insertAgent, isHandleTaken } from '../../store/accounts/agents.ts';
import type { ListedDomain } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';

export type AgentNeeds = Needs<'clock' | 'newId'>;

export interface NewAgent {
  workspace: Pick<Workspace, 'id'>;
  domain: ListedDomain;
  handle: string;
  displayName: string | null;
  description: string | null;
  hold: boolean;
}

/** @throws ApiError invalid_handle, handle_taken, domain_not_verified */
export const addAgent = async ({ clock, newId }: AgentNeeds, tx: Tx, wanted: NewAgent): Promise<Agent> => {
  const { workspace, domain, handle, displayName, description, hold } = wanted;
  const reserved = reservedHandleHint(handle);
  if (reserved !== null) throw new ApiError('invalid_handle', { hint: reserved });
  if (!isHandle(handle)) throw new ApiError('invalid_handle');
  // A pending claim proves nothing: another workspace may own the addresses.
  if (domain.kind === 'custom' && domain.status === 'pending') throw new ApiError('domain_not_verified');
  const address = `${handle}@${domain.name}` as Address;
  await requireNoOwner(tx.db, address);
  const agent: Agent = {
    id: newId<'agent'>(),
    workspaceId: workspace.id,
    handle,
    displayName,
    description,
    filterMode: 'blacklist',
    hold,
    guard: false,
    mailboxId: newId<'mailbox'>(),
    domainId: domain.id,
    address,
    status: 'active',
    createdAt: clock.now(),
  };
  const isTaken = (await isHandleTaken(tx.db, handle)) || !(await insertAgent(tx, agent));
  if (isTaken) throw new ApiError('handle_taken');
  return agent;
};
