/** One push message to the push service of one browser (RFC 8030); the result, failures included, is a value. */

import { createHash } from 'node:crypto';
import { type Clock, DAY, type RandomBytes, SECOND } from '../../kernel/clock.ts';
import { GuardedHttpError, type SendGuarded } from '../../net/http/guarded-client.ts';
import type { PushSubscription } from '../../store/owners/push-subscriptions.ts';
import { encryptPush, PRIVATE_KEY_BYTES, SALT_BYTES } from './encrypt.ts';
import type { PushText } from './push-texts.ts';
import type { VapidKey } from './vapid.ts';

const TIMEOUT_MS = 10 * SECOND;
const MAX_RESPONSE_BYTES = 1024;
/** How long a push service keeps it for a browser that is away. */
const TTL_SECONDS = DAY / SECOND;

export interface PostPushNeeds {
  request: SendGuarded;
  clock: Clock;
  random: RandomBytes;
  key: VapidKey;
}

export type PushOutcome =
  | { kind: 'sent' }
  /** The browser has ended the subscription (RFC 8030 section 7.3), or made it with another key (RFC 8292 section 4.2). */
  | { kind: 'gone' }
  /** @param status null without a response */
  | { kind: 'failed'; status: number | null; reason: string; retryAfter: string | undefined; isFinal: boolean };

/** RFC 8030 section 5.4: at most 32 characters; a later message of the topic replaces one that still waits. */
const toTopic = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32);

const readStatus = (status: number, retryAfter: string | undefined): PushOutcome => {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if ([403, 404, 410].includes(status)) return { kind: 'gone' };
  // 406: Microsoft's service says by it that there were too many at once.
  const isFinal = status < 500 && ![406, 408, 429].includes(status);
  return { kind: 'failed', status, reason: `The push service answered ${status}`, retryAfter, isFinal };
};

/** @param signal rejects the call when aborted */
export const postPush = async (
  { request, clock, random, key }: PostPushNeeds,
  { endpoint, publicKey, auth }: Pick<PushSubscription, 'endpoint' | 'publicKey' | 'auth'>,
  text: PushText,
  signal?: AbortSignal,
): Promise<PushOutcome> => {
  const url = new URL(endpoint);
  const once = { salt: random(SALT_BYTES), privateKey: random(PRIVATE_KEY_BYTES) };
  try {
    const reply = await request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(TTL_SECONDS),
        urgency: 'normal',
        topic: toTopic(text.tag),
        authorization: key.authorization(url, clock.now()),
      },
      body: encryptPush(Buffer.from(JSON.stringify(text)), { publicKey, auth }, once),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(signal && { signal }),
    });
    return readStatus(reply.status, reply.headers['retry-after']);
  } catch (error) {
    if (!(error instanceof GuardedHttpError) || error.fault === 'aborted') throw error;
    const reason = `${error.fault}: ${error.message}`.slice(0, 200);
    return { kind: 'failed', status: null, reason, retryAfter: undefined, isFinal: false };
  }
};
