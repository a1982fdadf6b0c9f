/** The webhooks resource: an agent works with endpoints within its reach (reached-webhooks.ts), a person with all. */

import { toMadeBy } from '../../access/made-by.ts';
import { isWithinReach } from '../../access/reach.ts';
import { findPlan } from '../../config/plans.ts';
import { isPerson, type PersonCaller, type WorkspaceCaller } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import { newWebhookSecret } from '../../seal/webhook-signature.ts';
import { findAgentById, listAgents, listHandles } from '../../store/accounts/agents.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import { listWebhookAttempts } from '../../store/events/webhook-attempts.ts';
import { deleteDeliveriesOf } from '../../store/events/webhook-deliveries.ts';
import {
  countWebhooks,
  deleteWebhook,
  findWebhookById,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from '../../store/events/webhooks.ts';
import type { Db, Tx } from '../../store/store.ts';
import { dropUnretained, enableWebhook, inBatches, pauseWebhook } from '../../webhooks/enable-disable.ts';
import { requireHeaders } from '../../webhooks/headers.ts';
import { templateText, withoutPlaceholders } from '../../webhooks/payload-template.ts';
import { toAct } from '../../webhooks/webhook-act.ts';
import { announceWaiting } from '../../webhooks/withhold.ts';
import type { Needs } from '../needs.ts';
import type { webhooksContract } from './contract.ts';
import { listReachedWebhooks, requireHeard, requireWebhook } from './reached-webhooks.ts';
import { replayDelivery, type TrialNeeds, testWebhook } from './test-deliveries.ts';
import { viewAttempt, viewWebhook } from './view.ts';
import { checkSettings, type GivenSettings, requireSameHost } from './webhook-settings.ts';

/** Where the plan sets none. An event has a row for each endpoint that hears it, in the transaction that causes it. */
const MAX_ENDPOINTS = 1_000;

export interface WebhooksNeeds
  extends TrialNeeds,
    Needs<'plans' | 'events' | 'requireNoSecret' | 'findAddresses' | 'onError'> {
  /** Starts an endpoint's waiting deliveries. */
  wake: (id: WebhookId) => void;
}

/** @throws ApiError webhook_not_found, also for one of a workspace that the person does not own */
const requireForPerson = async (db: Db, caller: PersonCaller, id: WebhookId): Promise<Webhook> => {
  const webhook = await findWebhookById(db, id);
  if (webhook && isWithinReach(caller, webhook.workspaceId)) return webhook;
  throw new ApiError('webhook_not_found', { fields: { webhook_id: id } });
};

/** An agent's new or changed endpoint waits for a person under the same rule as its mail. */
const withholdChanged = async (
  { events }: Pick<WebhooksNeeds, 'events'>,
  tx: Tx,
  caller: WorkspaceCaller,
  webhook: Webhook,
): Promise<Webhook> => {
  const agent = caller.kind === 'agent' ? await findAgentById(tx.db, caller.agentId) : null;
  if (!agent?.hold) return webhook;
  await announceWaiting(events, tx, webhook, agent);
  return { ...webhook, withheld: 'approval' };
};

/** What a person is shown stays as it is until the decision. @throws ApiError invalid_request */
const requireShown = (caller: WorkspaceCaller, { withheld }: Webhook): void => {
  if (isPerson(caller) || withheld !== 'approval') return;
  const hint = 'This endpoint waits for a person, who has been shown it as it is. Delete it, and set up another.';
  throw new ApiError('invalid_request', { hint });
};

export const createWebhooks = (needs: WebhooksNeeds): Handlers<typeof webhooksContract> => {
  const { store, clock, newId, random, seal, plans, findAddresses, wake, onError } = needs;
  const settingsNeeds = { read: store.read, seal, findAddresses };

  /** @throws ApiError webhook_limit_reached */
  const requireRoom = async (db: Db, workspaceId: WorkspaceId): Promise<void> => {
    const workspace = await findWorkspaceById(db, workspaceId);
    const included = (workspace && findPlan(plans, workspace.plan).webhook_endpoints) ?? MAX_ENDPOINTS;
    const used = await countWebhooks(db, workspaceId);
    if (used >= included) throw new ApiError('webhook_limit_reached', { fields: { included, used } });
  };

  /** Data sent to an endpoint leaves unseen, so an agent may put no secret there. */
  const requireNoSecretOf = async (caller: WorkspaceCaller, given: GivenSettings): Promise<void> => {
    if (isPerson(caller)) return;
    const { url = '', headers = {}, template = null } = given;
    const body = template === null ? '' : templateText(template);
    const texts = [url, ...Object.entries(requireHeaders(headers)).flat(), body, withoutPlaceholders(body)];
    await needs.requireNoSecret(caller.workspaceId, texts);
  };

  return {
    list: async (caller) => {
      const webhooks = await listReachedWebhooks(store.read, caller);
      if (!isPerson(caller)) return { webhooks: webhooks.map(viewWebhook) };
      const handles = await listHandles(store.read, caller.workspaceId);
      const agents = await listAgents(store.read, caller.workspaceId);
      const now = clock.now();
      const own = new Map(agents.map((agent) => [agent.id, agent.mailboxId]));
      return {
        webhooks: webhooks.map((each) => ({
          ...viewWebhook(each),
          made_by: (each.madeBy && handles.get(each.madeBy)) ?? null,
          hears_more: each.madeBy !== null && each.mailboxId !== own.get(each.madeBy),
          deferred_until: each.deferredUntil !== null && each.deferredUntil > now ? isoTime(each.deferredUntil) : null,
        })),
      };
    },

    create: async (caller, { active = true, ...input }, { record }) => {
      const { workspaceId } = caller;
      await requireNoSecretOf(caller, input);
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
        ...toMadeBy(caller),
        headerNames: [],
        sealedHeaders: null,
        template: null,
        ...rest,
        sealedSecrets: seal.sealSecret(id, secret),
        active,
        disabledReason: active ? null : 'paused',
        withheld: null,
        failureCount: 0,
        deferredUntil: null,
        createdAt,
        updatedAt: createdAt,
      };
      return store.write(async (tx) => {
        await requireRoom(tx.db, workspaceId);
        await requireHeard(tx.db, caller, mailboxId, createdAt);
        const webhook = await withholdChanged(needs, tx, caller, given);
        await insertWebhook(tx, webhook);
        return record(tx, toAct(webhook, { events }), { ...viewWebhook(webhook), secret });
      });
    },

    update: async (caller, { id, active, rotate_secret: rotates = false, ...given }, { record }) => {
      const before = await requireWebhook(store.read, caller, id);
      const isGiven = Object.values(given).some((value) => value !== undefined);
      if (active === undefined && !rotates && !isGiven) throw new ApiError('nothing_to_update');
      if (isGiven) requireShown(caller, before);
      await requireNoSecretOf(caller, given);
      const settings = await checkSettings(settingsNeeds, caller.workspaceId, id, given);
      const secret = rotates ? newWebhookSecret(random) : null;
      const now = clock.now();
      if (active && !before.active) await dropUnretained(store, id, before.disabledReason, now);
      return store.write(async (tx) => {
        const current = await requireWebhook(tx.db, caller, id);
        if (isGiven) requireShown(caller, current);
        if (given.headers === undefined) requireSameHost(current, settings.url);
        // A change ends the wait that the endpoint has asked for: it is tried at once.
        let webhook: Webhook = { ...current, ...settings, deferredUntil: null, updatedAt: now };
        await requireHeard(tx.db, caller, webhook.mailboxId, now);
        // A person may have paused it.
        if (isGiven || (active && !current.active)) webhook = await withholdChanged(needs, tx, caller, webhook);
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
        const webhook = isPerson(caller)
          ? await requireForPerson(tx.db, caller, id)
          : await requireWebhook(tx.db, caller, id);
        await deleteWebhook(tx, id);
        const answer = isPerson(caller) ? { id, url: webhook.url, removed: true as const } : { deleted: true as const };
        return record(tx, toAct(webhook), answer);
      });
      // No operation reads these rows any more; those left by a crash or a command are purged with their events.
      if (caller.kind !== 'operator') inBatches(store, (tx, limit) => deleteDeliveriesOf(tx, id, limit)).catch(onError);
      return recorded;
    },

    deliveries: async (caller, { webhook_id: id, limit, before }) => {
      if (id) await requireWebhook(store.read, caller, id);
      const reached = async () => (await listReachedWebhooks(store.read, caller)).map((webhook) => webhook.id);
      // A person also reads those of removed endpoints.
      const among = id ? [id] : isPerson(caller) ? null : await reached();
      const attempts = await listWebhookAttempts(store.read, caller.workspaceId, among, before ?? null, limit);
      const handles = await listHandles(store.read, caller.workspaceId);
      const webhooks = await listWebhooks(store.read, caller.workspaceId);
      const makers = new Map(webhooks.map((each) => [each.id, (each.madeBy && handles.get(each.madeBy)) ?? null]));
      return { deliveries: attempts.map((each) => viewAttempt(each, makers.get(each.webhookId) ?? null)) };
    },

    test: async (caller, { webhook_id: id, delivery_id: deliveryId }) => {
      if (deliveryId !== undefined) return replayDelivery(needs, caller, deliveryId, id ?? null);
      if (id !== undefined) return testWebhook(needs, caller, id);
      throw new ApiError('invalid_request', { hint: 'Give `webhook_id` to test, or `delivery_id` to replay.' });
    },

    replay: (caller, { delivery_id }) => replayDelivery(needs, caller, delivery_id, null),
  };
};
