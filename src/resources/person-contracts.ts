/**
 * What owners and the operator may call, by noun. None has a REST route, none is a tool, and dispatch refuses an API key.
 * A new one adds its line here, and the types demand its service in index.ts.
 */

import { activityContract } from './activity/contract.ts';
import { agentsContract } from './agents/contract.ts';
import { keysContract } from './agents/keys/contract.ts';
import { connectionsContract } from './connections/contract.ts';
import { workspaceExchangeContract } from './contacts/exchange/contract.ts';
import { workspaceContactsContract, workspaceListsContract } from './contacts/workspace/contract.ts';
import { workspaceDomainsContract } from './domains/workspace/contract.ts';
import { reviewContract } from './held-mail/review/contract.ts';
import { rulesContract } from './identity/rules/contract.ts';
import { workspaceKnowledgeContract } from './knowledge/workspace/contract.ts';
import { mailTransferContract } from './mail-transfer/contract.ts';
import { workspaceNotesContract } from './notes/workspace/contract.ts';
import { ownersContract } from './owners/contract.ts';
import { queueContract } from './queue/contract.ts';
import { manageSecretsContract } from './secrets/manage/contract.ts';
import { workspaceSuppressionsContract } from './suppressions/workspace/contract.ts';
import { vaultContract } from './vault/contract.ts';
import { workspaceWebhooksContract } from './webhooks/workspace/contract.ts';
import { workspacesContract } from './workspaces/contract.ts';

export const personContracts = {
  workspaces: workspacesContract,
  owners: ownersContract,
  agents: agentsContract,
  keys: keysContract,
  connections: connectionsContract,
  rules: rulesContract,
  domains: workspaceDomainsContract,
  heldMail: reviewContract,
  mailTransfer: mailTransferContract,
  queue: queueContract,
  suppressions: workspaceSuppressionsContract,
  webhooks: workspaceWebhooksContract,
  contacts: workspaceContactsContract,
  contactLists: workspaceListsContract,
  contactExchange: workspaceExchangeContract,
  notes: workspaceNotesContract,
  knowledge: workspaceKnowledgeContract,
  secrets: manageSecretsContract,
  vault: vaultContract,
  activity: activityContract,
};
