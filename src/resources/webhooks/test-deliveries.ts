/** Tests and redeliveries: one request while the caller waits; it is not queued, retried or logged. */

import type { WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { WebhookId } from '../../kernel/ids.ts';
import { findAgentById, listHandles } from '../../store/accounts/agents.ts';
import type { StoredEvent } from '../../store/events/event-log.ts';
import { findSentDelivery } from '../../store/events/webhook-deliveries.ts';
import { clearFailures, findWebhook, type Webhook } from '../../store/events/webhooks.ts';
import type { Db } from '../../store/store.ts';
import { BodyTooLarge } from '../../webhooks/payload-template.ts';
import { bodyFor, type PostNeeds, type PostResult, postToWebhook } from '../../webhooks/post.ts';
import { sampleEvent } from '../../webhooks/sample.ts';
import type { Needs } from '../needs.ts';
import type { DeliveryResult } from './contract.ts';
import { listReachedWebhooks, mayHear, requireWebhook } from './reached-webhooks.ts';
import { viewResult } from './view.ts';

export type TrialNeeds = PostNeeds & Needs<'store' | 'clock' | 'newId' | 'random'>;

const post = async (
  needs: TrialNeeds,
  webhook: Webhook,
  { id, name }: Pick<StoredEvent, 'id' | 'name'>,
  makeBody: () => Buffer,
): Promise<PostResult> => {
  try {
    return await postToWebhook(needs, webhook, { id, event: name }, makeBody());
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    throw new ApiError('template_too_large', { hint: `${error.message}.` });
  }
};

const findMaker = async (db: Db, { workspaceId, madeBy }: Webhook): Promise<string | null> =>
  (madeBy && (await listHandles(db, workspaceId)).get(madeBy)) ?? null;

/** @throws ApiError invalid_request where an agent calls an endpoint that a person has not allowed yet */
const requireNotWithheld = (caller: WorkspaceCaller, { withheld }: Webhook): void => {
  if (caller.kind === 'owner' || withheld === null) return;
  throw new ApiError('invalid_request', { hint: 'This endpoint waits for a person, and hears nothing until then.' });
};

/** Posts a sample to an enabled or disabled endpoint; success resets the endpoint's failures. */
export const testWebhook = async (
  needs: TrialNeeds,
  caller: WorkspaceCaller,
  id: WebhookId,
): Promise<DeliveryResult> => {
  const { store, clock, newId, random } = needs;
  const webhook = await requireWebhook(store.read, caller, id);
  requireNotWithheld(caller, webhook);
  const agent = caller.kind === 'agent' ? await findAgentById(store.read, caller.agentId) : null;
  const event = sampleEvent(webhook, agent ? agent.address : '', { newId, random, now: clock.now() });
  const result = await post(needs, webhook, event, () => bodyFor(webhook, event));
  if (result.delivered) await store.write((tx) => clearFailures(tx, webhook));
  return viewResult(result, event.id, await findMaker(store.read, webhook));
};

/**
 * Posts the bytes of an earlier attempt again, under their id and newly signed.
 * @param preferred the endpoint to use if it received them; otherwise the last one that did
 */
export const replayDelivery = async (
  needs: TrialNeeds,
  caller: WorkspaceCaller,
  deliveryId: string,
  preferred: WebhookId | null,
): Promise<DeliveryResult> => {
  const { store } = needs;
  const reached = (await listReachedWebhooks(store.read, caller)).map(({ id }) => id);
  const sent = await findSentDelivery(store.read, caller.workspaceId, deliveryId, preferred, reached);
  const webhook = sent && (await findWebhook(store.read, caller.workspaceId, sent.webhookId));
  if (!webhook || !mayHear(caller, sent.event.mailboxId)) throw new ApiError('not_found');
  requireNotWithheld(caller, webhook);
  const { event, body } = sent;
  // Bytes made without a template are the envelope, whatever template the endpoint has now.
  const result = await post(needs, webhook, event, () => body ?? bodyFor({ ...webhook, template: null }, event));
  return viewResult(result, event.id, await findMaker(store.read, webhook));
};
