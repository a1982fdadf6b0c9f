/**
 * Every resource, under its name in the typed client and the console, the most used tools first. A new resource adds
 * its line here; the types then demand its service in services.ts.
 */

import type { Contract } from '../kernel/operation.ts';
import { activityContract } from './activity/contract.ts';
import { inboxContract } from './agent-mail/across/contract.ts';
import { agentMailContract } from './agent-mail/contract.ts';
import { agentDayContract } from './agent-mail/day/contract.ts';
import { writingContract } from './agent-mail/writing/contract.ts';
import { agentsContract } from './agents/contract.ts';
import { keysContract } from './agents/keys/contract.ts';
import { mailboxesContract } from './agents/mailboxes/contract.ts';
import { boxesContract } from './boxes/contract.ts';
import { changesContract } from './changes/contract.ts';
import { connectionsContract } from './connections/contract.ts';
import { contactsContract } from './contacts/contract.ts';
import { correspondenceContract } from './contacts/correspondence/contract.ts';
import { contactExchangeContract, contactImportContract } from './contacts/exchange/contract.ts';
import { contactListsContract } from './contacts/lists/contract.ts';
import { contactPreviewContract } from './contacts/preview/contract.ts';
import { domainsContract } from './domains/contract.ts';
import { heldMailContract } from './held-mail/contract.ts';
import { heldPartsContract } from './held-mail/parts/contract.ts';
import { reviewContract } from './held-mail/review/contract.ts';
import { homeContract } from './home/contract.ts';
import { identityContract } from './identity/contract.ts';
import { rulesContract } from './identity/rules/contract.ts';
import { instanceContract } from './instance/contract.ts';
import { knowledgeContract } from './knowledge/contract.ts';
import { mailTransferContract } from './mail-transfer/contract.ts';
import { messagesContract } from './messages/contract.ts';
import { notesContract } from './notes/contract.ts';
import { ownersContract } from './owners/contract.ts';
import { invitationsContract } from './owners/invitations-contract.ts';
import { passkeysContract, sessionContract } from './owners/session-contract.ts';
import { toldContract } from './owners/told/contract.ts';
import { queueContract } from './queue/contract.ts';
import { workContract } from './queue/work/contract.ts';
import { bookedContract } from './scheduled/booked/contract.ts';
import { scheduledContract } from './scheduled/contract.ts';
import { searchContract } from './search/contract.ts';
import { secretsContract } from './secrets/contract.ts';
import { setUpContract } from './set-up/contract.ts';
import { signupContract } from './signup/contract.ts';
import { suppressionsContract } from './suppressions/contract.ts';
import { tempAddressesContract } from './temp-addresses/contract.ts';
import { threadsContract } from './threads/contract.ts';
import { vaultContract } from './vault/contract.ts';
import { webhooksContract } from './webhooks/contract.ts';
import { workspacesContract } from './workspaces/contract.ts';
import { planContract } from './workspaces/plan/contract.ts';

export const contracts = {
  identity: identityContract,
  messages: messagesContract,
  changes: changesContract,
  search: searchContract,
  threads: threadsContract,
  pending: heldMailContract,
  scheduled: scheduledContract,
  secrets: secretsContract,
  suppressions: suppressionsContract,
  contacts: contactsContract,
  contactLists: contactListsContract,
  contactImport: contactImportContract,
  notes: notesContract,
  knowledge: knowledgeContract,
  domains: domainsContract,
  mailboxes: mailboxesContract,
  webhooks: webhooksContract,
  tempAddresses: tempAddressesContract,
  signup: signupContract,
  workspaces: workspacesContract,
  owners: ownersContract,
  invitations: invitationsContract,
  session: sessionContract,
  passkeys: passkeysContract,
  told: toldContract,
  agents: agentsContract,
  keys: keysContract,
  connections: connectionsContract,
  rules: rulesContract,
  heldMail: reviewContract,
  heldParts: heldPartsContract,
  mail: agentMailContract,
  inbox: inboxContract,
  writing: writingContract,
  agentDay: agentDayContract,
  booked: bookedContract,
  work: workContract,
  mailTransfer: mailTransferContract,
  queue: queueContract,
  contactExchange: contactExchangeContract,
  contactPreview: contactPreviewContract,
  correspondence: correspondenceContract,
  vault: vaultContract,
  activity: activityContract,
  home: homeContract,
  plan: planContract,
  instance: instanceContract,
  boxes: boxesContract,
  setUp: setUpContract,
};

// Operations of persons alone are no tools: their resource and act name them.
for (const [resource, contract] of Object.entries<Contract>(contracts)) {
  for (const [act, operation] of Object.entries(contract)) operation.name ||= `${resource}.${act}`;
}
