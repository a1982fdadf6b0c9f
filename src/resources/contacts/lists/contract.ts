/** Lists of contacts: the interface's sections 2 and 4. */

import { z } from 'zod';
import { idInput, idOutput, limitInput, lineInput, pathId, timeOutput } from '../../../kernel/fields.ts';
import { EVERYONE, field, operation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';
import { contactShape } from '../contract.ts';
import { MAX_LIST_DESCRIPTION, MAX_LIST_NAME, MAX_MEMBERS_AT_ONCE } from '../limits-contract.ts';

export const contactListShape = named(
  'ContactList',
  z.object({
    id: idOutput,
    name: untrustedText(z.string(), 'others'),
    description: untrustedText(z.string().nullable(), 'others'),
    member_count: z.int(),
    created_at: timeOutput,
    updated_at: timeOutput,
  }),
);

const contactListPageShape = named(
  'ContactListPage',
  contactListShape.extend({
    offset: z.int(),
    next_offset: z.int().nullable(),
    members: z.array(contactShape),
  }),
);

const listId = pathId<'contact-list'>('list_not_found');
/** The name of a list that is created beside its content. */
export const listNameInput = lineInput(MAX_LIST_NAME);
const newNameInput = field(
  { missing: 'name_required', null: 'name_required', empty: 'name_required' },
  lineInput(MAX_LIST_NAME),
);
const changedNameInput = field({ empty: 'name_required' }, lineInput(MAX_LIST_NAME));
const descriptionInput = z.string().trim().max(MAX_LIST_DESCRIPTION);
const memberIds = z
  .array(field({ invalid: 'contact_not_found' }, idInput<'contact'>()))
  .max(MAX_MEMBERS_AT_ONCE)
  .describe('At most 1000');

export const contactListsContract = {
  list: operation({
    name: 'list_contact_lists',
    audience: EVERYONE,
    route: 'GET /v1/contacts/lists',
    scope: 'contacts',
    summary: 'Lists contact lists, by name, with the number of their members.',
    output: z.object({ lists: z.array(contactListShape) }),
  }),
  create: operation({
    name: 'create_contact_list',
    audience: EVERYONE,
    route: 'POST /v1/contacts/lists',
    scope: 'contacts',
    summary: 'Makes an empty contact list.',
    example: { name: 'Customers' },
    input: z.strictObject({ name: newNameInput, description: descriptionInput.optional() }),
    output: contactListShape,
    statuses: [201],
    errors: ['list_name_taken'],
  }),
  get: operation({
    name: 'get_contact_list',
    audience: EVERYONE,
    route: 'GET /v1/contacts/lists/{id}',
    scope: 'contacts',
    summary: 'A contact list, with its members, newest contacts first.',
    input: z.strictObject({
      id: listId,
      limit: limitInput(500, 100),
      offset: z.int().min(0).default(0).describe('The `next_offset` before'),
    }),
    output: contactListPageShape,
  }),
  update: operation({
    name: 'update_contact_list',
    audience: EVERYONE,
    route: 'PATCH /v1/contacts/lists/{id}',
    scope: 'contacts',
    summary: 'Renames a contact list, or changes its description.',
    example: { name: 'Customers of Carol' },
    input: z.strictObject({
      id: listId,
      name: changedNameInput.optional(),
      description: descriptionInput.nullable().optional(),
    }),
    output: contactListShape,
    errors: ['list_name_taken', 'nothing_to_update'],
  }),
  remove: operation({
    name: 'delete_contact_list',
    activity: 'list.remove',
    audience: EVERYONE,
    route: 'DELETE /v1/contacts/lists/{id}',
    scope: 'contacts',
    summary: 'Deletes a contact list; its contacts are kept.',
    input: z.strictObject({ id: listId }),
    output: z.object({ deleted: z.literal(true) }),
  }),
  addMembers: operation({
    name: 'add_list_members',
    audience: EVERYONE,
    route: 'POST /v1/contacts/lists/{id}/members',
    scope: 'contacts',
    summary: 'Puts contacts on a list.',
    input: z.strictObject({ id: listId, contact_ids: memberIds }),
    output: z.object({ added: z.int() }),
    tool: { returns: 'how many were not on it before', hints: { idempotent: true } },
  }),
  removeMembers: operation({
    name: 'remove_list_members',
    audience: EVERYONE,
    route: 'DELETE /v1/contacts/lists/{id}/members',
    scope: 'contacts',
    summary: 'Takes contacts off a list; the contacts are kept.',
    input: z.strictObject({ id: listId, contact_ids: memberIds }),
    body: true,
    output: z.object({ removed: z.int() }),
    tool: { returns: 'how many were on it' },
  }),
};
