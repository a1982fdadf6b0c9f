/**
 * What owners alone may call, by noun: what the console shows beside the acts that it shares with the command line
 * (person-contracts.ts).
 */

import { inboxContract } from './agent-mail/across/contract.ts';
import { agentMailContract } from './agent-mail/contract.ts';
import { correspondenceContract } from './contacts/correspondence/contract.ts';
import { contactPreviewContract } from './contacts/preview/contract.ts';
import { heldPartsContract } from './held-mail/parts/contract.ts';
import { homeContract } from './home/contract.ts';
import { instanceContract } from './instance/contract.ts';
import { invitationsContract } from './owners/invitations-contract.ts';
import { secretValuesContract } from './secrets/reveal/contract.ts';
import { setUpContract } from './set-up/contract.ts';
import { webhookEndpointsContract } from './webhooks/endpoints/contract.ts';
import { planContract } from './workspaces/plan/contract.ts';

export const ownerContracts = {
  home: homeContract,
  mail: agentMailContract,
  inbox: inboxContract,
  heldParts: heldPartsContract,
  invitations: invitationsContract,
  contactPreview: contactPreviewContract,
  correspondence: correspondenceContract,
  webhookEndpoints: webhookEndpointsContract,
  secretValues: secretValuesContract,
  plan: planContract,
  instance: instanceContract,
  setUp: setUpContract,
};
