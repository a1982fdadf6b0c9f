/** The webhooks resource: endpoints are the workspace's, whichever of its agents asks; a connection's are its own. */

import { findPlan, type Plans } from '../../config/plans.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { newWebhookSecret } from '../../seal/webhook-signature.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { listWebhookAttempts } from '../../store/events/webhook-attempts.ts';
import { deleteDeliveriesOf } from '../../store/events/webhook-deliveries.ts';
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  updateWebhook,
  type Webhook,
} from '../../store/events/webhooks.ts';
import type { Db } from '../../store/store.ts';
import { dropUnretained, enableWebhook, inBatches, pauseWebhook } from '../../webhooks/enable-disable.ts';
import type { FindAddresses } from '../../webhooks/url.ts';
import { toAct } from '../../webhooks/webhook-act.ts';
import type { webhooksContract } from './contract.ts';
import { listReachedWebhooks, requireHeard, requireWebhook, type WebhookMaker } from './reached-webhooks.ts';
import { replayDelivery, type TrialNeeds, testWebhook } from './test-deliveries.ts';
import { viewAttempt, viewWebhook } from './view.ts';
import { checkSettings, requireSameHost } from './webhook-settings.ts';

export interface WebhooksNeeds extends TrialNeeds {
  plans: Plans;
  findAddresses: FindAddresses;
  /** Has what waits for an endpoint taken up. */
  wake: (id: WebhookId) => void;
  onError: (error: unknown) => void;
}

/** The same for whoever may call an operation: the workspace's endpoints have no other owner. */
type MakerHandlers = {
  [K in keyof typeof webhooksContract]: (
    maker: WebhookMaker,
    ...rest: ParametersAfterCaller<Handlers<typeof webhooksContract>[K]>
  ) => ReturnType<Handlers<typeof webhooksContract>[K]>;
};
type ParametersAfterCaller<F> = F extends (caller: never, ...rest: infer R) => unknown ? R : never;

/** What agents and owners do alike. */
export const createWebhooks = (needs: WebhooksNeeds): MakerHandlers => {
  const { store, clock, newId, random, seal, plans, findAddresses, wake, onError } = needs;
  const settingsNeeds = { read: store.read, seal, findAddresses };

  /** @throws ApiError webhook_limit_reached */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const workspace = await findWorkspaceById(db, workspaceId);
    const included = workspace && findPlan(plans, workspace.plan).webhook_endpoints;
    if (included === undefined || included === null) return;
    const used = await countWebhooks(db, workspaceId);
    if (used >= included) throw new ApiError('webhook_limit_reached', { fields: { included, used } });
  };

  return {
    list: async (caller) => ({ webhooks: (await listReachedWebhooks(store.read, caller)).map(viewWebhook) }),

    create: async (caller, input, { record }) => {
      const { workspaceId, agentId, byGrant = null } = caller;
      const id = newId<'webhook'>();
      const secret = newWebhookSecret(random);
      const {
        url = '',
        events = [],
        mailboxId = null,
        ...rest
      } = await checkSettings(settingsNeeds, workspaceId, id, input);
      const createdAt = clock.now();
      const given: Webhook = {
        id,
        workspaceId,
        url,
        events,
        mailboxId,
        madeBy: agentId,
        madeByGrant: byGrant,
        headerNames: [],
        sealedHeaders: null,
        template: null,
        ...rest,
        sealedSecrets: seal.sealSecret(id, secret),
        active: true,
        disabledReason: null,
        failureCount: 0,
        createdAt,
        updatedAt: createdAt,
      };
      return store.write(async (tx) => {
        await requireRoom(tx.db, workspaceId);
        const webhook = { ...given, mailboxId: await requireHeard(tx.db, caller, mailboxId, createdAt) };
        await insertWebhook(tx, webhook);
        return record(tx, toAct(webhook, { events }), { ...viewWebhook(webhook), secret });
      });
    },

    update: async (caller, { id, active, rotate_secret: rotates = false, ...given }, { record }) => {
      const before = await requireWebhook(store.read, caller, id);
      const isGiven = Object.values(given).some((value) => value !== undefined);
      if (active === undefined && !rotates && !isGiven) throw new ApiError('nothing_to_update');
      const settings = await checkSettings(settingsNeeds, caller.workspaceId, id, given);
      const secret = rotates ? newWebhookSecret(random) : null;
      const now = clock.now();
      if (active && !before.active) await dropUnretained(store, id, before.disabledReason, now);
      return store.write(async (tx) => {
        const current = await requireWebhook(tx.db, caller, id);
        if (given.headers === undefined) requireSameHost(current, settings.url);
        let webhook: Webhook = { ...current, ...settings, updatedAt: now };
        webhook.mailboxId = await requireHeard(tx.db, caller, webhook.mailboxId, now);
        if (active === false) webhook = pauseWebhook(webhook);
        if (active && !current.active) webhook = await enableWebhook(tx, webhook, now);
        const rotated = secret === null ? null : seal.rotate(id, current.sealedSecrets, secret, now);
        if (rotated) webhook.sealedSecrets = rotated.sealed;
        await updateWebhook(tx, webhook);
        tx.afterCommit(() => wake(id));
        const changed = Object.entries({ ...given, active }).flatMap(([name, value]) =>
          value === undefined ? [] : name,
        );
        return record(tx, toAct(webhook, { changed, active: webhook.active, rotated: rotates }), {
          ...viewWebhook(webhook),
          ...(secret && rotated && { secret, previous_secret_valid_until: isoTime(rotated.previousUntil) }),
        });
      });
    },

    remove: async (caller, { id }, { record }) => {
      const recorded = await store.write(async (tx) => {
        const webhook = await requireWebhook(tx.db, caller, id);
        await deleteWebhook(tx, id);
        return record(tx, toAct(webhook), { deleted: true as const });
      });
      // No operation reads them any more; what a crash leaves of them is purged with its events.
      inBatches(store, (tx, limit) => deleteDeliveriesOf(tx, id, limit)).catch(onError);
      return recorded;
    },

    deliveries: async (caller, { webhook_id: id, limit, before }) => {
      if (id) await requireWebhook(store.read, caller, id);
      const wanted = { webhookId: id ?? null, madeByGrant: caller.byGrant ?? null };
      const attempts = await listWebhookAttempts(store.read, caller.workspaceId, wanted, before ?? null, limit);
      return { deliveries: attempts.map(viewAttempt) };
    },

    test: async (caller, { webhook_id: id, delivery_id: deliveryId }) => {
      if (deliveryId !== undefined) return replayDelivery(needs, caller, deliveryId, id ?? null);
      if (id !== undefined) return testWebhook(needs, caller, id);
      throw new ApiError('invalid_request', { hint: 'Give `webhook_id` to test, or `delivery_id` to replay.' });
    },

    replay: (caller, { delivery_id }) => replayDelivery(needs, caller, delivery_id, null),
  };
};
