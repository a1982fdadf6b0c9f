/** Mailboxes of the workspace: every agent's own. Disposable addresses do not count. */

import { z } from 'zod';
import { handleInput, idInput, idOutput, shownNameInput, shownTextInput, timeOutput } from '../../../kernel/fields.ts';
import { field, operation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

export const mailboxShape = named(
  'Mailbox',
  z.object({
    id: idOutput,
    handle: z.string(),
    address: z.string(),
    display_name: untrustedText(z.string().nullable(), 'others'),
    description: untrustedText(z.string().nullable(), 'others'),
    domain_id: idOutput,
    status: z.enum(['active', 'suspended']),
    created_at: timeOutput,
  }),
);

export const mailboxesContract = {
  list: operation({
    name: 'list_mailboxes',
    route: 'GET /v1/mailboxes',
    scope: 'mail:read',
    summary: 'Lists agents, with their addresses, and how many mailboxes the plan includes.',
    output: z.object({
      mailboxes: z.array(mailboxShape),
      included: z.int().nullable().describe('Null: no limit'),
      used: z.int(),
      extra: z.int().describe('Beyond those included; each is billed'),
    }),
    tool: { when: 'to find colleagues', returns: 'mailboxes, and how many are included, used and extra' },
  }),
  create: operation({
    name: 'create_mailbox',
    activity: 'agent.add',
    route: 'POST /v1/mailboxes',
    scope: 'manage',
    reach: 'workspace',
    summary:
      'Makes a further agent, with a mailbox and an address that receives at once. It has no API key: a person makes one.',
    input: z.strictObject({
      handle: handleInput.describe('The part before the @; unique over the whole service'),
      domain_id: field({ invalid: 'unknown_domain' }, idInput<'domain'>())
        .optional()
        .describe("Left out: the workspace's subdomain"),
      display_name: shownNameInput(200).optional(),
      description: shownTextInput(2000).optional(),
    }),
    output: mailboxShape,
    statuses: [201],
    errors: ['mailbox_limit_reached', 'handle_taken', 'domain_not_verified'],
    tool: {
      when: 'for work that needs an address of its own',
      returns: 'the mailbox with its address',
    },
  }),
};
