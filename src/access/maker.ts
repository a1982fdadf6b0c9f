/** Names the maker of a shared text, as it is shown beside the text. */

import { isPerson, type WorkspaceCaller } from '../kernel/caller.ts';
import type { Millis } from '../kernel/clock.ts';
import { requireFound } from '../kernel/errors.ts';
import type { AgentId } from '../kernel/ids.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import type { NoteMaker } from '../store/notes/notes-mappings.ts';
import { findGrant } from '../store/oauth/oauth-grants.ts';
import type { Db } from '../store/store.ts';

/** @returns `agents`: those of the calling connection; null: all @throws ApiError invalid_token */
export const findMaker = async (
  db: Db,
  caller: WorkspaceCaller,
  now: Millis,
): Promise<{ maker: NoteMaker; agents: readonly AgentId[] | null }> => {
  if (isPerson(caller)) return { maker: personMaker(caller.name), agents: null };
  const { agentId, byGrant } = caller;
  if (byGrant === undefined) {
    const makerName = (await findAgentById(db, agentId))?.handle ?? null;
    return { maker: { makerKind: 'agent', makerId: agentId, makerName }, agents: null };
  }
  const grant = requireFound(await findGrant(db, byGrant, now), 'invalid_token');
  return {
    maker: { makerKind: 'connection', makerId: byGrant, makerName: grant.clientName },
    agents: grant.agents,
  };
};

const personMaker = (person: string | null): NoteMaker => ({
  makerKind: 'person',
  makerId: null,
  makerName: person,
});
