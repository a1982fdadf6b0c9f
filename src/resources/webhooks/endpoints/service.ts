/** Webhook endpoints, worked with by an owner. */

import type { Handlers } from '../../../kernel/operation.ts';
import { createWebhooks, type WebhooksNeeds } from '../service.ts';
import type { webhookEndpointsContract } from './contract.ts';

export const createWebhookEndpoints = (needs: WebhooksNeeds): Handlers<typeof webhookEndpointsContract> => {
  const { create, update, deliveries, test, replay } = createWebhooks(needs);
  return { create, update, deliveries, test, replay };
};
