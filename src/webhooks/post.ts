/** One signed POST to one endpoint; the result, failures included, is a value. */

import { type Envelope, toEnvelope } from '../events/event-envelope.ts';
import { type Clock, type Millis, SECOND } from '../kernel/clock.ts';
import { GuardedHttpError, type SendGuarded } from '../net/http/guarded-client.ts';
import { webhookSignatureHeaders } from '../seal/webhook-signature.ts';
import type { StoredEvent } from '../store/events/event-log.ts';
import type { Webhook } from '../store/events/webhooks.ts';
import { fillTemplate } from './payload-template.ts';
import type { WebhookSeal } from './secrets.ts';

/** Interface section 8. */
const TIMEOUT_MS = 10 * SECOND;
/** The part of a response body that is stored. */
const MAX_RESPONSE_BYTES = 4096;

export interface PostNeeds {
  request: SendGuarded;
  seal: WebhookSeal;
  clock: Clock;
}

export interface PostResult {
  delivered: boolean;
  /** Null without a response. */
  statusCode: number | null;
  responseBody: string | null;
  retryAfter: string | undefined;
  durationMs: Millis;
  /** Why there is no response; null where there is one. */
  error: string | null;
}

/** The request body of an event: its envelope, or the endpoint's template filled with it. */
export const bodyFor = ({ template }: Webhook, event: Omit<StoredEvent, 'seq'>): Buffer => {
  const envelope = toEnvelope(event);
  return template === null ? Buffer.from(JSON.stringify(envelope)) : fillTemplate(template, envelope);
};

/** Decodes a truncated body: an incomplete last character is left out, and U+0000 is replaced. */
const decodeText = (body: Buffer): string =>
  body
    .toString('utf8')
    .replace(/\ufffd+$/, '')
    .replaceAll('\0', '\ufffd');

/**
 * @param envelope of the event that the headers name
 * @param signal rejects the call when aborted; whether the receiver processed the request is unknown then
 */
export const postToWebhook = async (
  { request, seal, clock }: PostNeeds,
  webhook: Webhook,
  { id, event }: Pick<Envelope, 'id' | 'event'>,
  body: Buffer,
  signal?: AbortSignal,
): Promise<PostResult> => {
  const at = clock.now();
  const secrets = seal.openSecrets(webhook.id, webhook.sealedSecrets, at);
  const own = webhook.sealedHeaders ? seal.openHeaders(webhook.id, webhook.sealedHeaders) : {};
  const headers = {
    ...own,
    'content-type': 'application/json',
    'x-svc-event': event,
    'x-svc-delivery-id': id,
    'x-request-id': id,
    ...webhookSignatureHeaders({ id, body, at, secrets }),
  };
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const reply = await request({
      url: new URL(webhook.url),
      method: 'POST',
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      // A receiver that streams what its agent writes has taken the event with the first line.
      isHeaderEnough: true,
      pool: webhook.id,
      ...(signal && { signal }),
    });
    const { status } = reply;
    return {
      delivered: status >= 200 && status < 300,
      statusCode: status,
      responseBody: decodeText(reply.body),
      retryAfter: reply.headers['retry-after'],
      durationMs: took(),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof GuardedHttpError) || error.fault === 'aborted') throw error;
    const reason = `${error.fault}: ${error.message}`.slice(0, 500);
    return {
      delivered: false,
      statusCode: null,
      responseBody: null,
      retryAfter: undefined,
      durationMs: took(),
      error: reason,
    };
  }
};
