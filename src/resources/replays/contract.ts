/** Replaying a delivery: REST has one operation for it and for the test of an endpoint; to a model they are two things. */

import { z } from 'zod';
import { field, toolOnly } from '../../kernel/operation.ts';
import { webhooksContract } from '../webhooks/contract.ts';

export const replaysContract = {
  replay: toolOnly({
    name: 'replay_delivery',
    scope: webhooksContract.test.scope,
    summary: 'Sends a stored webhook delivery to its endpoint once more, byte for byte; nothing is queued or retried.',
    input: z.strictObject({ delivery_id: field({ invalid: 'not_found' }, z.string().min(1).max(200)) }),
    output: webhooksContract.test.output,
    errors: ['not_found'],
    tool: {
      when: 'with a delivery_id that list_deliveries gives',
      returns: 'what the endpoint answered: delivered, status_code, response_body, error',
      hints: { openWorld: true },
    },
  }),
};
