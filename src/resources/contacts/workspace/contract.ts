/** Contacts of a workspace and lists of them, as owners and the operator work with them. */

import { ofWorkspace } from '../../../kernel/fields.ts';
import { contactShape, contactsContract } from '../contract.ts';
import { contactInput } from '../input-contract.ts';
import { contactListsContract } from '../lists/contract.ts';

export const workspaceContactsContract = {
  list: ofWorkspace('list_workspace_contacts', contactsContract.list),
  get: ofWorkspace('get_workspace_contact', contactsContract.get, 'contact_id'),
  create: ofWorkspace('add_workspace_contact', {
    ...contactsContract.create,
    summary: 'Adds a contact, with a name or a company.',
    input: contactInput,
    output: contactShape,
  }),
  update: ofWorkspace('change_workspace_contact', contactsContract.update, 'contact_id'),
  remember: ofWorkspace(
    'remember_workspace_fact',
    {
      ...contactsContract.remember,
      // Messages are their agents'.
      input: contactsContract.remember.input.omit({ message_id: true }),
      errors: ['fact_required', 'contact_not_found'],
    },
    'contact_id',
  ),
  remove: ofWorkspace('remove_workspace_contact', contactsContract.remove, 'contact_id'),
  duplicates: ofWorkspace('list_workspace_duplicates', contactsContract.duplicates),
  merge: ofWorkspace('merge_workspace_contacts', contactsContract.merge),
};

export const workspaceListsContract = {
  list: ofWorkspace('list_workspace_lists', contactListsContract.list),
  get: ofWorkspace('get_workspace_list', contactListsContract.get, 'list_id'),
  create: ofWorkspace('add_workspace_list', contactListsContract.create),
  update: ofWorkspace('change_workspace_list', contactListsContract.update, 'list_id'),
  remove: ofWorkspace('remove_workspace_list', contactListsContract.remove, 'list_id'),
  addMembers: ofWorkspace('add_workspace_list_members', contactListsContract.addMembers, 'list_id'),
  removeMembers: ofWorkspace('remove_workspace_list_members', contactListsContract.removeMembers, 'list_id'),
};
