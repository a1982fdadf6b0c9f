/**
 * Signs webhook deliveries in two schemes: the interface's own, keyed by the whole secret, and Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), keyed by its decoded
 * part.
 */

import { createHmac } from 'node:crypto';
import { type Millis, type RandomBytes, SECOND } from '../kernel/clock.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Generates a secret: `whsec_` and the base64 of 32 random bytes. */
export const newWebhookSecret = (random: RandomBytes): string =>
  PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');

interface Signed {
  /** The delivery's id, which Standard Webhooks signs too. */
  id: string;
  /** The bytes that are sent. */
  body: Uint8Array;
  at: Millis;
  /** The valid secrets, the newest first; at least one. */
  secrets: readonly string[];
}

/** @returns the headers with the signatures */
export const webhookSignatureHeaders = ({ id, body, at, secrets }: Signed): Record<string, string> => {
  const seconds = String(Math.floor(at / SECOND));
  const own = secrets.map((secret) => createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex'));
  const standard = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${seconds}.`)
      .update(body)
      .digest('base64'),
  );
  return {
    'x-svc-signature': [`t=${seconds}`, ...own.map((digest) => `v1=${digest}`)].join(','),
    'x-webhook-signature-v2': own[0] ?? '',
    'x-webhook-timestamp': seconds,
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.map((digest) => `v1,${digest}`).join(' '),
  };
};
