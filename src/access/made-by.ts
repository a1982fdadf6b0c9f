/** The reach of an agent's call: which of the things that its workspace shares it may change. */

import { type AgentCaller, isPerson, type WorkspaceCaller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import type { AgentId, GrantId } from '../kernel/ids.ts';

/** The maker of a shared thing: an agent, by a key or by a connection. Both null: a person, or not recorded. */
export interface MadeBy {
  madeBy: AgentId | null;
  madeByGrant: GrantId | null;
}

type Reaching = Pick<AgentCaller, 'agentId' | 'reach' | 'byGrant'>;

/** The maker that a thing made by this call has. */
export const toMadeBy = (caller: WorkspaceCaller): MadeBy =>
  isPerson(caller)
    ? { madeBy: null, madeByGrant: null }
    : { madeBy: caller.agentId, madeByGrant: caller.byGrant ?? null };

/**
 * What a person made is in no agent's reach. A connection changes what it made itself, which ends with it; a key what its
 * agent made, and with the reach `workspace` what every agent made.
 */
export const isMadeWithinReach = ({ agentId, reach, byGrant }: Reaching, { madeBy, madeByGrant }: MadeBy): boolean => {
  if (madeBy === null) return false;
  if (byGrant !== undefined) return madeByGrant === byGrant && (reach === 'workspace' || madeBy === agentId);
  return reach === 'workspace' || madeBy === agentId;
};

const HOW_TO_REACH =
  'A person gives it: a key made by `postroom keys add AGENT --reach workspace`, or the tick "workspace" in the console or on the consent page.';

/** @throws ApiError insufficient_scope */
export const requireWorkspaceReach = ({ reach }: Pick<AgentCaller, 'reach'>, hint?: string): void => {
  if (reach === 'workspace') return;
  throw new ApiError('insufficient_scope', {
    hint: `${hint ?? 'This changes what the workspace shares: it needs the reach workspace.'} ${HOW_TO_REACH}`,
    fields: { scope: 'workspace' },
  });
};
