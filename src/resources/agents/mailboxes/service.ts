/** The mailboxes resource: an agent lists those of its workspace, and makes further ones within its plan. */

import { viewOf } from '../../../access/view-of.ts';
import { requireFound } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { DomainId, WorkspaceId } from '../../../kernel/ids.ts';
import { type Agent, listAgents } from '../../../store/accounts/agents.ts';
import { type Domain, findDomainById, findSubdomain } from '../../../store/accounts/domains.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import { type AgentNeeds, addAgent } from '../add-agent.ts';
import { findMailboxAllowance, requireMailboxRoom } from '../mailbox-allowance.ts';
import { type mailboxesContract, mailboxShape } from './contract.ts';

const viewMailbox = viewOf(mailboxShape, ({ mailboxId }: Agent) => ({ id: mailboxId }));

type MailboxesNeeds = AgentNeeds & Needs<'store' | 'plans'>;

export const createMailboxes = (needs: MailboxesNeeds): Handlers<typeof mailboxesContract> => {
  const { store, plans } = needs;

  return {
    list: async ({ workspaceId }) => {
      const mailboxes = (await listAgents(store.read, workspaceId)).map(viewMailbox);
      const { included } = await findMailboxAllowance(store.read, plans, workspaceId);
      const used = mailboxes.length;
      return { mailboxes, included, used, extra: included === null ? 0 : Math.max(0, used - included) };
    },

    create: async ({ workspaceId }, input, { record }) => {
      const { handle, domain_id: domainId, display_name: displayName = null, description = null } = input;
      return store.write(async (tx) => {
        const domain = await requireDomain(tx.db, workspaceId, domainId);
        await requireMailboxRoom(tx.db, plans, workspaceId);
        const wanted = { workspace: { id: workspaceId }, domain, handle, displayName, description, hold: false };
        const agent = await addAgent(needs, tx, wanted);
        const detail = { address: agent.address, hold: false };
        return record(tx, { workspaceId, subject: handle, detail }, viewMailbox(agent));
      });
    },
  };
};

const requireDomain = async (db: Db, workspaceId: WorkspaceId, id: DomainId | undefined): Promise<Domain> => {
  const domain = id === undefined ? await findSubdomain(db, workspaceId) : await findDomainById(db, id);
  return requireFound(domain?.workspaceId === workspaceId ? domain : null, 'unknown_domain');
};
