/**
 * The resources that agents use, by the name that the typed client gives each; what a tool's user wants most comes first.
 * A new one adds its line here, and the types demand its service in index.ts.
 */

import { mailboxesContract } from './agents/mailboxes/contract.ts';
import { changesContract } from './changes/contract.ts';
import { contactsContract } from './contacts/contract.ts';
import { contactImportContract } from './contacts/exchange/contract.ts';
import { contactListsContract } from './contacts/lists/contract.ts';
import { domainsContract } from './domains/contract.ts';
import { heldMailContract } from './held-mail/contract.ts';
import { identityContract } from './identity/contract.ts';
import { knowledgeContract } from './knowledge/contract.ts';
import { messagesContract } from './messages/contract.ts';
import { notesContract } from './notes/contract.ts';
import { scheduledContract } from './scheduled/contract.ts';
import { searchContract } from './search/contract.ts';
import { secretsContract } from './secrets/contract.ts';
import { suppressionsContract } from './suppressions/contract.ts';
import { tempAddressesContract } from './temp-addresses/contract.ts';
import { threadsContract } from './threads/contract.ts';
import { webhooksContract } from './webhooks/contract.ts';

export const agentContracts = {
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
};
