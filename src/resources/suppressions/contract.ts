/** Addresses that the workspace's mail no longer goes to. */

import { z } from 'zod';
import {
  addressKeyInput,
  cursorInput,
  idOutput,
  limitInput,
  nextCursor,
  timeOutput,
  wholeListInput,
} from '../../kernel/fields.ts';
import { EVERYONE, operation, personOperation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';

export const suppressionShape = named(
  'Suppression',
  z.object({
    address: z.string(),
    reason: z.enum(['bounce', 'complaint', 'manual']),
    bounce_type: z.string().nullable(),
    message_id: idOutput.nullable(),
    until: timeOutput.nullable(),
    created_at: timeOutput,
  }),
);

const personEntry = z.strictObject({ address: addressKeyInput('invalid_email') });

export const suppressionsContract = {
  list: operation({
    name: 'list_suppressions',
    audience: EVERYONE,
    persons: { input: wholeListInput.extend({ cursor: cursorInput }) },
    route: 'GET /v1/suppressions',
    scope: 'mail:read',
    summary: 'Lists suppressed addresses, which bounced or complained, newest first: mail to them is refused.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ suppressions: z.array(suppressionShape), next_cursor: nextCursor }),
    tool: { when: 'after recipient_suppressed', returns: 'suppressions with their reason, and next_cursor or null' },
  }),
  remove: operation({
    name: 'delete_suppression',
    audience: EVERYONE,
    persons: { input: personEntry, output: z.object({ address: z.string(), removed: z.literal(true) }) },
    activity: 'suppression.remove',
    route: 'DELETE /v1/suppressions/{address}',
    scope: 'manage',
    summary:
      'Lifts a suppression: mail goes to the address again that bounced; what a person suppressed, a person lifts.',
    input: z.strictObject({ address: addressKeyInput('suppression_not_found') }),
    output: z.object({ deleted: z.literal(true) }),
    tool: { when: 'only where you know that it works again', returns: 'deleted' },
  }),
  /** Finds suppressed addresses of a workspace by how they begin, in their order. */
  find: personOperation({
    workspace: 'required',
    input: wholeListInput.extend({ beginning: z.string().trim().toLowerCase().min(1).max(320) }),
    output: z.object({ suppressions: z.array(suppressionShape), has_more: z.boolean() }),
  }),
  /** Refuses mail of a workspace to an address, for good. */
  add: personOperation({
    workspace: 'required',
    activity: 'suppression.add',
    input: personEntry,
    output: suppressionShape,
  }),
};
