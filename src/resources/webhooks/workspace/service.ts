/** Webhook endpoints of a workspace, managed by a person. */

import { isWithinReach, reachWorkspace } from '../../../access/reach.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { parseId } from '../../../kernel/ids.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { listAgents, listHandles } from '../../../store/accounts/agents.ts';
import { deleteWebhook, findWebhookById, listWebhooks } from '../../../store/events/webhooks.ts';
import type { Store } from '../../../store/store.ts';
import { toAct } from '../../../webhooks/webhook-act.ts';
import { viewWebhook } from '../view.ts';
import type { workspaceWebhooksContract } from './contract.ts';

export const createWorkspaceWebhooks = ({ store }: { store: Store }): Handlers<typeof workspaceWebhooksContract> => ({
  list: async (caller, { workspace }) => {
    const { id } = await reachWorkspace(store.read, caller, workspace);
    const handles = await listHandles(store.read, id);
    const webhooks = await listWebhooks(store.read, id);
    const own = new Map((await listAgents(store.read, id)).map((agent) => [agent.id, agent.mailboxId]));
    return {
      webhooks: webhooks.map((each) => ({
        ...viewWebhook(each),
        made_by: (each.madeBy && handles.get(each.madeBy)) ?? null,
        hears_more: each.madeBy !== null && each.mailboxId !== own.get(each.madeBy),
      })),
    };
  },

  remove: async (caller, { webhook_id: text }, { record }) => {
    const id = parseId<'webhook'>(text);
    return store.write(async (tx) => {
      const webhook = id && (await findWebhookById(tx.db, id));
      if (!webhook || !isWithinReach(caller, webhook.workspaceId)) {
        throw new ApiError('webhook_not_found', { fields: { webhook_id: text } });
      }
      // What waits for it is purged with its events.
      await deleteWebhook(tx, webhook.id);
      return record(tx, toAct(webhook), { id: webhook.id, url: webhook.url, removed: true as const });
    });
  },
});
