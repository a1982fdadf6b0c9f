/** The knowledge base of a workspace, worked with by a person. */

import { reachingWorkspace } from '../../../access/reach.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { createKnowledgeHandlers, type KnowledgeNeeds } from '../service.ts';
import type { workspaceKnowledgeContract } from './contract.ts';

export const createWorkspaceKnowledge = (needs: KnowledgeNeeds): Handlers<typeof workspaceKnowledgeContract> => {
  const { page, ...handlers } = createKnowledgeHandlers(needs);
  const { read } = needs.store;
  return {
    ...reachingWorkspace<Omit<typeof workspaceKnowledgeContract, 'page'>, 'source_id'>(read, 'source_id', handlers),
    ...reachingWorkspace<Pick<typeof workspaceKnowledgeContract, 'page'>, 'page_id'>(read, 'page_id', { page }),
  };
};
