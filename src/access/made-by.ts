/** The reach of an agent's call: which shared things of the workspace it may change. */

import { type AgentCaller, isPerson, type WorkspaceCaller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import type { AgentId, GrantId } from '../kernel/ids.ts';

/** The maker of a shared thing: an agent, by a key or by a connection. Both null: a person, or not recorded. */
export interface MadeBy {
  madeBy: AgentId | null;
  madeByGrant: GrantId | null;
}

type Reaching = Pick<AgentCaller, 'agentId' | 'reach' | 'byGrant'>;

/** The maker that is recorded for things made by this call. */
export const toMadeBy = (caller: WorkspaceCaller): MadeBy =>
  isPerson(caller)
    ? { madeBy: null, madeByGrant: null }
    : { madeBy: caller.agentId, madeByGrant: caller.byGrant ?? null };

/**
 * No agent changes what a person made. A connection changes only what it made itself. A key changes what its agent
 * made and, with the reach `workspace`, what any agent made.
 */
export const isMadeWithinReach = ({ agentId, reach, byGrant }: Reaching, { madeBy, madeByGrant }: MadeBy): boolean => {
  if (madeBy === null) return false;
  if (byGrant !== undefined) return madeByGrant === byGrant && (reach === 'workspace' || madeBy === agentId);
  return reach === 'workspace' || madeBy === agentId;
};

const HOW_TO_REACH =
  'A person gives that reach: by `postroom keys add AGENT --reach workspace`, or by ticking "The whole workspace" in the console or on the consent page.';

/** @throws ApiError insufficient_scope */
export const requireWorkspaceReach = ({ reach }: Pick<AgentCaller, 'reach'>, hint?: string): void => {
  if (reach === 'workspace') return;
  throw new ApiError('insufficient_scope', {
    hint: `${hint ?? 'This changes what the workspace shares: it needs the reach workspace.'} ${HOW_TO_REACH}`,
    fields: { scope: 'workspace' },
  });
};
