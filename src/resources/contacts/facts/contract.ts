/**
 * Facts that agents remember of a contact. A fact names its author and, for a message, whether that was authenticated.
 */

import { z } from 'zod';
import { idInput, idOutput, pathId, timeOutput } from '../../../kernel/fields.ts';
import { EVERYONE, field, operation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';
import { factInput } from '../input-contract.ts';

export const memoryShape = named(
  'Memory',
  z.object({
    id: idOutput,
    // Untrusted even if the caller wrote it: mail may have told an agent to.
    fact: untrustedText(z.string(), 'others'),
    said_by: z
      .object({ kind: z.enum(['agent', 'connection', 'person']), name: z.string().nullable() })
      .nullable()
      .describe('Who wrote it down; null: not recorded'),
    message_id: idOutput.nullable(),
    message_from: z.string().nullable().describe('The author that the message names, where it was received'),
    authenticated: z
      .boolean()
      .nullable()
      .describe('Whether a check says that this author wrote it; null: no such message'),
    created_at: timeOutput,
  }),
);

const contactId = pathId<'contact'>('contact_not_found');
const factId = pathId<'memory'>('fact_not_found');
const messageInput = field({ invalid: 'message_not_found' }, idInput<'message'>())
  .optional()
  .describe('Your message that it stands in');

export const factOperations = {
  remember: operation({
    name: 'remember_fact',
    audience: EVERYONE,
    // Persons give no message, because messages belong to agents.
    persons: { input: z.strictObject({ id: contactId, fact: factInput }) },
    route: 'POST /v1/contacts/{id}',
    scope: 'contacts',
    summary: 'Remembers a fact about a contact, which every later lookup by any agent shows.',
    input: z.strictObject({ id: contactId, fact: factInput, message_id: messageInput }),
    output: memoryShape,
    statuses: [201],
    tool: { when: 'for what will matter in later mail' },
  }),
  updateFact: operation({
    name: 'update_fact',
    route: 'PATCH /v1/contacts/{id}/facts/{fact_id}',
    scope: 'contacts',
    summary: 'Rewords a fact; the message that it came from stays, unless another is named.',
    input: z.strictObject({ id: contactId, fact_id: factId, fact: factInput, message_id: messageInput }),
    output: memoryShape,
    tool: { hints: { destructive: true } },
  }),
  forgetFact: operation({
    name: 'forget_fact',
    route: 'DELETE /v1/contacts/{id}/facts/{fact_id}',
    scope: 'contacts',
    summary: 'Forgets a fact.',
    input: z.strictObject({ id: contactId, fact_id: factId }),
    output: z.object({ deleted: z.literal(true) }),
  }),
};
