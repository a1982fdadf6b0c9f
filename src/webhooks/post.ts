/** One signed POST to one endpoint. What comes of it is a value: who asked decides what it means. */

import { type Envelope, toEnvelope } from '../events/event-envelope.ts';
import { type Clock, type Millis, SECOND } from '../kernel/clock.ts';
import { GuardedHttpError, type SendGuarded } from '../net/http/guarded-client.ts';
import { webhookSignatureHeaders } from '../seal/webhook-signature.ts';
import type { StoredEvent } from '../store/events/event-log.ts';
import type { Webhook } from '../store/events/webhooks.ts';
import { fillTemplate } from './payload-template.ts';
import type { WebhookSeal } from './secrets.ts';

/** The interface's section 8. */
const TIME_OUT_MS = 10 * SECOND;
/** What of an answer is kept. */
const MAX_RESPONSE_BYTES = 4096;

export interface PostNeeds {
  request: SendGuarded;
  seal: WebhookSeal;
  clock: Clock;
}

export interface PostResult {
  delivered: boolean;
  /** Null where no answer came. */
  statusCode: number | null;
  responseBody: string | null;
  retryAfter: string | undefined;
  durationMs: Millis;
  /** Why no answer came; null where one did. */
  error: string | null;
}

/** The bytes that an endpoint gets of an event: its envelope, or what the endpoint's template makes of it. */
export const bodyFor = ({ template }: Webhook, event: Omit<StoredEvent, 'seq'>): Buffer => {
  const envelope = toEnvelope(event);
  return template === null ? Buffer.from(JSON.stringify(envelope)) : fillTemplate(template, envelope);
};

/** Names in which text is cut by bytes: a character that was halved is left out. */
const textOf = (body: Buffer): string =>
  body
    .toString('utf8')
    .replace(/\ufffd+$/, '')
    .replaceAll('\0', '\ufffd');

/**
 * @param envelope of the event whose bytes go out: the headers name it
 * @param signal where it aborts, the call rejects, and nothing is known of what the receiver did
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
  const headers = {
    'user-agent': 'Postroom',
    ...(webhook.sealedHeaders && seal.openHeaders(webhook.id, webhook.sealedHeaders)),
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
      timeoutMs: TIME_OUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      pool: webhook.id,
      ...(signal && { signal }),
    });
    const { status } = reply;
    return {
      delivered: status >= 200 && status < 300,
      statusCode: status,
      responseBody: textOf(reply.body),
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
