/**
 * What owners alone may call, by noun: what the console shows beside the acts that it shares with the command line
 * (person-contracts.ts).
 */

import { agentMailContract } from './agent-mail/contract.ts';
import { heldPartsContract } from './held-mail/parts/contract.ts';
import { homeContract } from './home/contract.ts';
import { invitationsContract } from './owners/invitations-contract.ts';

export const ownerContracts = {
  home: homeContract,
  mail: agentMailContract,
  heldParts: heldPartsContract,
  invitations: invitationsContract,
};
