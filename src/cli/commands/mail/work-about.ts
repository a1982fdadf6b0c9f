/** What is said of an export or import of mail while it runs. */

import type { CallOperation } from '../../../app/operator-calls.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import { agentsContract } from '../../../resources/agents/contract.ts';

export const workAbout = async (call: CallOperation, agent: string) => {
  const { handle, workspace_id: workspaceId } = await call(agentsContract.get, { agent });
  return { name: `mail of ${handle}`, workspaceId: workspaceId as WorkspaceId };
};
