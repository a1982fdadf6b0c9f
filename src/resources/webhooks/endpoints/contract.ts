/** Webhook endpoints, as owners set them up and try them: the agents' operations. */

import { OWNER } from '../../../kernel/caller.ts';
import { type Operation, personOperation } from '../../../kernel/operation.ts';
import { webhooksContract } from '../contract.ts';

const { create, update, deliveries, test, replay } = webhooksContract;

const like = ({ summary, errors }: Pick<Operation, 'summary' | 'errors'>) => ({ audience: OWNER, summary, errors });

export const webhookEndpointsContract = {
  create: personOperation({
    ...like(create),
    ...{ name: 'add_workspace_webhook', activity: create.activity, input: create.input, output: create.output },
  }),
  update: personOperation({
    ...like(update),
    ...{ name: 'change_workspace_webhook', activity: update.activity, input: update.input, output: update.output },
  }),
  deliveries: personOperation({
    ...like(deliveries),
    ...{ name: 'list_workspace_deliveries', activity: null, input: deliveries.input, output: deliveries.output },
  }),
  test: personOperation({
    ...like(test),
    name: 'test_workspace_webhook',
    ...{ activity: null, input: test.input.pick({ webhook_id: true }), output: test.output },
  }),
  replay: personOperation({
    ...like(replay),
    ...{ name: 'replay_workspace_delivery', activity: null, input: replay.input, output: replay.output },
  }),
};
