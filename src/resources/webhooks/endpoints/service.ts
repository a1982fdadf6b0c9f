/** Webhook endpoints, worked with by an owner. */

import type { OwnerCaller } from '../../../kernel/caller.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import type { WebhookMaker } from '../reached-webhooks.ts';
import { createWebhooks, type WebhooksNeeds } from '../service.ts';
import type { webhookEndpointsContract } from './contract.ts';

const toMaker = ({ workspaceId }: OwnerCaller): WebhookMaker => ({ workspaceId, agentId: null, mailboxId: null });

export const createWebhookEndpoints = (needs: WebhooksNeeds): Handlers<typeof webhookEndpointsContract> => {
  const { create, update, deliveries, test, replay } = createWebhooks(needs);
  return {
    create: (owner, input, call) => create(toMaker(owner), input, call),
    update: (owner, input, call) => update(toMaker(owner), input, call),
    deliveries: (owner, input, call) => deliveries(toMaker(owner), input, call),
    test: (owner, input, call) => test(toMaker(owner), input, call),
    replay: (owner, input, call) => replay(toMaker(owner), input, call),
  };
};
