/**
 * For receivers: whether a webhook delivery is genuine.
 *
 * @example
 * const envelope = await verifyWebhook({
 *   body: rawBytes, // as they came, before any JSON is parsed
 *   signature: request.headers['x-svc-signature'],
 *   secret: process.env.WEBHOOK_SECRET,
 * });
 * if (await isKnown(envelope.id)) return; // deliveries may repeat; their id does not change
 */

export interface WebhookEnvelope {
  id: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface SignedDelivery {
  /** The raw bytes of the body. */
  body: Uint8Array | string;
  /** The header `x-svc-signature`. */
  signature: string | null | undefined;
  /** The endpoint's secret, `whsec_…`, as a whole. */
  secret: string;
  /** Epoch milliseconds; left out: now. */
  now?: number;
}

/** The delivery is not genuine, or more than 5 minutes old. Answer it with 400 and ignore its content. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** The interface's section 6: an older or newer time means a replay, or a wrong clock. */
const TOLERANCE_SECONDS = 300;
/** A rotation leaves two or three; the rest of a longer header is ignored. */
const MAX_DIGESTS = 16;

const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

const signedText = (time: string, body: Uint8Array | string): Uint8Array<ArrayBuffer> => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${time}.`);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
};

/**
 * Checks `x-svc-signature`, `t=<unix seconds>,v1=<hex>[,v1=<hex>…]`: any valid digest authenticates, so that a secret
 * can be rotated without a gap. Digests are compared in constant time.
 * @throws WebhookVerificationError
 */
export const requireWebhookSignature = async ({
  body,
  signature,
  secret,
  now = Date.now(),
}: SignedDelivery): Promise<void> => {
  const parts = (signature ?? '').split(',').map((part) => part.trim());
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  if (!/^\d{1,12}$/.test(time)) throw new WebhookVerificationError('The signature has no time.');
  if (Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('The signature is more than 5 minutes from now.');
  }
  const digests = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? []).slice(0, MAX_DIGESTS);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  const text = signedText(time, body);
  for (const digest of digests) {
    if (await crypto.subtle.verify('HMAC', key, fromHex(digest), text)) return;
  }
  throw new WebhookVerificationError('No signature of this body is by that secret.');
};

/**
 * The envelope of a delivery, once its signature is checked. An endpoint with a template of its own gets other bodies:
 * use {@link requireWebhookSignature} for those.
 * @throws WebhookVerificationError
 */
export const verifyWebhook = async (delivery: SignedDelivery): Promise<WebhookEnvelope> => {
  await requireWebhookSignature(delivery);
  const { body } = delivery;
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEnvelope;
};
