/** Who may call what, written down a second time: a contract that is widened by mistake fails here. */

import t from 'tap';
import { type Operation, scopesOf } from '../../../src/kernel/operation.ts';
import { contracts } from '../../../src/resources/contracts.ts';

const all = Object.values(contracts).flatMap((contract) => Object.values<Operation>(contract));
const namesOf = (wanted: (operation: Operation) => boolean): string[] =>
  all
    .filter(wanted)
    .map(({ name }) => name)
    .sort();
const words = (text: string): string[] => text.trim().split(/\s+/).sort();
const ofAudience = (kinds: string) => namesOf(({ audience }) => audience.join(' ') === kinds);

/** The operations of agents, by the scopes that their keys need. */
const BY_SCOPE: Readonly<Record<string, string>> = {
  '': 'whoami',
  'mail:send': `send_message reply_to_message reply_all_to_message forward_message update_messages archive_message
    cancel_pending cancel_scheduled create_temp_address delete_temp_address`,
  'mail:read mail:send': 'create_webhook update_webhook delete_webhook test_webhook replay_delivery',
  manage: `update_identity create_rule delete_rule delete_message delete_suppression create_mailbox
    add_domain verify_domain delete_domain`,
  vault: 'list_secrets get_secret get_totp_code',
  contacts: `list_contacts lookup_contact create_contact get_contact update_contact delete_contact list_duplicates
    merge_contacts remember_fact update_fact forget_fact list_contact_lists create_contact_list get_contact_list
    update_contact_list delete_contact_list add_list_members remove_list_members import_contacts`,
  notes: `list_notes create_note get_note update_note delete_note add_knowledge_source refresh_knowledge_source
    delete_knowledge_source`,
  'mail:read': `get_identity list_rules list_mailboxes list_domains list_webhooks list_deliveries list_suppressions
    list_messages get_message get_messages get_raw_message get_attachment search_messages list_threads get_thread
    get_changes wait_for_message wait_for_email wait_for_reply list_temp_addresses get_temp_messages
    list_pending get_pending wait_for_decision list_scheduled get_scheduled
    find_knowledge get_knowledge search_knowledge get_knowledge_page list_knowledge_sources get_knowledge_source`,
};

/** They make workspaces and owners, move mail, and turn keys. */
const OPERATORS_ALONE = `workspaces.add workspaces.verify workspaces.remove workspaces.setPlan owners.add
  owners.addSignInLink owners.signOut mailTransfer.exportPage mailTransfer.import mailTransfer.recordImport
  mailTransfer.recordExport vault.rotateKey activity.verify`;
/** The operator opens no secret and sets up no endpoint. */
const NEVER_OPERATORS = `get_secret get_totp_code create_webhook update_webhook list_deliveries test_webhook
  replay_delivery`;
const ANONYMOUS = 'sign_up passkeys.beginSignIn passkeys.signIn';

t.test('the scope that each operation of agents needs', (t) => {
  const isAgents = ({ audience }: Operation): boolean => audience.includes('agent');
  for (const [scope, names] of Object.entries(BY_SCOPE)) {
    const found = namesOf((operation) => isAgents(operation) && scopesOf(operation).join(' ') === scope);
    t.same(found, words(names), scope);
  }
  t.same(namesOf(isAgents), words(Object.values(BY_SCOPE).join(' ')), 'and no other is theirs');
  t.same(
    namesOf(({ reach }) => reach === 'workspace'),
    words('create_mailbox add_domain verify_domain delete_domain'),
  );
  t.end();
});

t.test("what is the operator's alone, what is never the operator's, and what anyone may call", (t) => {
  t.same(ofAudience('operator'), words(OPERATORS_ALONE));
  t.same(ofAudience('agent owner'), words(NEVER_OPERATORS));
  const isMail = /^(?:mail|inbox|writing|heldParts|booked)\./;
  t.same(
    namesOf(({ audience, name }) => audience.includes('operator') && isMail.test(name)),
    [],
    'the operator reads no mail',
  );
  t.same(ofAudience('anonymous'), words(ANONYMOUS));
  t.end();
});
