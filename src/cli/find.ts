/** Who is meant by what was typed: a workspace by name, slug or id; an agent by handle, address or id. */

import { type Agent, findAgent } from '../store/accounts/agents.ts';
import { findWorkspaceById, findWorkspaces, type Workspace } from '../store/accounts/workspaces.ts';
import type { Db } from '../store/store.ts';
import { refused } from './failure.ts';

/** @throws {CommandError} where there is none, or more than one: then with all of them */
export const requireWorkspace = async (db: Db, text: string): Promise<Workspace> => {
  const [found, ...others] = await findWorkspaces(db, text);
  if (!found) throw refused(`No workspace is called ${text}. \`postroom workspaces list\` shows those there are.`);
  if (others.length === 0) return found;
  const candidates = [found, ...others].map(({ id, slug, name }) => `  ${id}  ${slug}  ${name}`);
  throw refused(`Several workspaces are called ${text}; give the id of one:\n${candidates.join('\n')}`);
};

/** @throws {CommandError} where there is none; the box's own sender is nobody's to use */
export const requireAgent = async (db: Db, text: string): Promise<Agent> => {
  const agent = await findAgent(db, text);
  const owner = agent && (await findWorkspaceById(db, agent.workspaceId));
  if (!agent || owner?.hidden)
    throw refused(`No agent is called ${text}. \`postroom agents list\` shows those there are.`);
  return agent;
};
