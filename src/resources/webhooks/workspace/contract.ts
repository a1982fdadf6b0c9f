/** Webhook endpoints of a workspace, as owners and the operator see and end them. */

import { z } from 'zod';
import { REACH_ERRORS, workspaceInput } from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { webhookShape } from '../contract.ts';

export const workspaceWebhooksContract = {
  list: personOperation({
    name: 'list_workspace_webhooks',
    activity: null,
    summary: "Lists a workspace's webhook endpoints, oldest first.",
    input: z.strictObject({ workspace: workspaceInput }),
    output: z.object({
      webhooks: z.array(
        webhookShape.extend({
          made_by: z
            .string()
            .nullable()
            .describe('Handle of the agent, also of one that was removed; null: an owner, or not recorded'),
          hears_more: z.boolean().describe('Whether it hears more than the mailbox of the agent that made it'),
        }),
      ),
    }),
    errors: REACH_ERRORS,
  }),
  remove: personOperation({
    name: 'remove_webhook',
    activity: 'webhook.remove',
    summary: 'Ends a webhook endpoint for good, with what waits for it.',
    input: z.strictObject({ webhook_id: z.string() }),
    output: z.object({ id: z.string(), url: z.string(), removed: z.literal(true) }),
    errors: ['webhook_not_found'],
  }),
};
