/** Contacts of the workspace: the interface's sections 2 and 4. */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, prose, timeOutput } from '../../kernel/fields.ts';
import { EVERYONE, OWNER, operation, personOperation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';
import { factOperations, memoryShape } from './facts/contract.ts';
import { contactInput, lookupInput, queryInput } from './input-contract.ts';
import { MAX_IMPORT_OCTETS } from './limits-contract.ts';

/** Text of agents and outsiders: a vCard, a mail, a colleague's note. */
const words = () => untrustedText(z.string(), 'others');
const wordsOrNull = () => untrustedText(z.string().nullable(), 'others');

const channelShape = z.object({
  kind: z.enum(['email', 'phone']),
  value: z.string(),
  label: wordsOrNull(),
});

/** RFC 6350 section 6.3.1. */
export const postalAddressShape = named(
  'PostalAddress',
  z.object({
    po_box: wordsOrNull(),
    extended: wordsOrNull(),
    street: wordsOrNull(),
    locality: wordsOrNull(),
    region: wordsOrNull(),
    postal_code: wordsOrNull(),
    country: wordsOrNull(),
    label: wordsOrNull(),
  }),
);

export const contactShape = named(
  'Contact',
  z.object({
    id: idOutput,
    name: words(),
    given_name: wordsOrNull(),
    family_name: wordsOrNull(),
    preferred_name: wordsOrNull(),
    company_name: wordsOrNull(),
    job_title: wordsOrNull(),
    notes: wordsOrNull(),
    domains: z.array(z.string()),
    channels: z.array(channelShape),
    addresses: z.array(postalAddressShape),
    memories: z.array(memoryShape),
    updated_at: timeOutput,
  }),
);

const contactPage = z.object({
  contacts: z.array(contactShape),
  next_cursor: nextCursor,
  exact: z
    .int()
    .nullable()
    .describe('How many of the first contacts have the very address or number of `lookup`; null without it'),
});

/** RFC 6350 section 10.1. */
export const VCARD = 'text/vcard';

/**
 * The reason for which a card makes no contact. `exists`: its UID names a contact of the workspace, as an export
 * writes it.
 */
export const cardFailure = z.object({
  index: z.int().describe('From 0'),
  reason: z.enum([
    'unfinished',
    'too_many_lines',
    'too_large',
    'nested_too_deeply',
    'no_contact',
    'too_long',
    'too_many',
    'too_many_contacts',
    'exists',
  ]),
  field: z.string().nullable().describe('What is too long, or too many'),
});
export type CardFailureView = z.infer<typeof cardFailure>;

const vCardImportShape = named(
  'VCardImport',
  z.object({
    created: z.array(contactShape),
    failed: z.array(cardFailure),
  }),
);

const duplicatesShape = z.object({
  pairs: z.array(
    z.object({
      reason: z.enum(['email', 'phone', 'name']),
      value: words(),
      contacts: z.array(contactShape).length(2),
    }),
  ),
});

export type ContactView = z.infer<typeof contactShape>;

const contactId = pathId<'contact'>('contact_not_found');

const INPUT_ERRORS = ['name_required', 'invalid_email', 'invalid_domain'] as const;

export const contactsContract = {
  list: operation({
    name: 'list_contacts',
    audience: EVERYONE,
    route: 'GET /v1/contacts',
    scope: 'contacts',
    summary: 'Lists or searches contacts, newest first.',
    input: z.strictObject({
      q: queryInput.optional(),
      lookup: lookupInput.optional(),
      limit: limitInput(100, 25),
      cursor: cursorInput,
    }),
    output: contactPage,
    streams: [VCARD],
    tool: {
      when: 'to search people by words; look an address or a number up',
      returns: 'contacts with what is remembered of them, and next_cursor or null',
      without: ['lookup'],
    },
  }),
  /** REST has one operation for look-up and list; as tools they are two. */
  lookup: toolOnly({
    name: 'lookup_contact',
    scope: 'contacts',
    summary:
      'Finds a contact: who has an e-mail address or a phone number. The first `exact` contacts have it; all others only resemble it.',
    input: z.strictObject({ lookup: lookupInput, limit: limitInput(100, 25) }),
    output: contactPage,
    tool: {
      when: 'before you write to or about a person',
      returns: 'contacts with what is remembered of them, and exact',
      hints: { readOnly: true, idempotent: true },
    },
  }),
  create: operation({
    name: 'create_contact',
    audience: EVERYONE,
    route: 'POST /v1/contacts',
    scope: 'contacts',
    summary:
      'Adds a contact, with a name or a company, or those of up to 1000 vCards, for all agents of the workspace.',
    input: contactInput.extend({
      vcard: prose(z.string())
        .optional()
        .describe(
          'vCards instead of all other fields; one with the UID of a contact (`urn:uuid:ID`) is left out as `exists`',
        ),
    }),
    example: {
      given_name: 'Carol',
      family_name: 'Diaz',
      channels: [{ kind: 'email', value: 'carol@example.com', label: 'work' }],
    },
    embeds: { mediaType: VCARD, field: 'vcard' },
    bodyLimit: MAX_IMPORT_OCTETS,
    output: z.union([contactShape, vCardImportShape]),
    // A person imports a file by an operation of its own (exchange/).
    persons: { input: contactInput, output: contactShape },
    statuses: [201],
    errors: [...INPUT_ERRORS, 'no_valid_cards', 'too_many_cards'],
    tool: { when: 'where a look-up says exact 0: contacts that only resemble are others' },
  }),
  duplicates: operation({
    name: 'list_duplicates',
    audience: EVERYONE,
    route: 'GET /v1/contacts/duplicates',
    scope: 'contacts',
    summary: 'Lists likely duplicates: pairs of contacts with the same e-mail address, phone number or name.',
    input: z.strictObject({ limit: limitInput(50, 25) }),
    output: duplicatesShape,
    tool: { when: 'to tidy up, by merge_contacts', returns: 'pairs, each with its reason and both contacts' },
  }),
  /** Says that two contacts are not one person: they are not listed as duplicates any more. */
  keepApart: personOperation({
    audience: OWNER,
    input: z.strictObject({ one_id: contactId, other_id: contactId }),
    output: z.object({ kept_apart: z.boolean() }),
  }),
  merge: operation({
    name: 'merge_contacts',
    audience: EVERYONE,
    activity: 'contact.merge',
    route: 'POST /v1/contacts/duplicates',
    scope: 'contacts',
    summary:
      'Merges two contacts: the survivor gains all that the loser has beside its names, and the loser is deleted.',
    input: z.strictObject({ survivor_id: contactId, loser_id: contactId }),
    example: {
      survivor_id: '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40',
      loser_id: '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f41',
    },
    output: contactShape,
    tool: { when: 'only where they are one person', hints: { destructive: true } },
  }),
  get: operation({
    name: 'get_contact',
    audience: EVERYONE,
    route: 'GET /v1/contacts/{id}',
    scope: 'contacts',
    summary: 'Gets a contact, with what is remembered of it.',
    input: z.strictObject({ id: contactId }),
    output: contactShape,
    streams: [VCARD],
  }),
  update: operation({
    name: 'update_contact',
    audience: EVERYONE,
    route: 'PATCH /v1/contacts/{id}',
    scope: 'contacts',
    summary: 'Changes a contact; fields left out keep their value, a list replaces the whole list.',
    input: contactInput.extend({ id: contactId }),
    example: { job_title: 'Head of Sales' },
    output: contactShape,
    errors: ['nothing_to_update', ...INPUT_ERRORS],
  }),
  remove: operation({
    name: 'delete_contact',
    activity: 'contact.remove',
    audience: EVERYONE,
    route: 'DELETE /v1/contacts/{id}',
    scope: 'contacts',
    summary: 'Deletes a contact, and what is remembered of it.',
    input: z.strictObject({ id: contactId }),
    output: z.object({ deleted: z.literal(true) }),
  }),
  ...factOperations,
};
