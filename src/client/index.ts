/** What the package exports: the typed client, its errors, and the check of webhook signatures for receivers. */

export type { CallOptions, ClientSettings } from './call.ts';
export { createClient, type PostroomClient } from './client.ts';
export { PostroomError } from './client-errors.ts';
export type { PostroomEvent, StreamOptions } from './event-stream.ts';
export { signUp } from './sign-up.ts';
export {
  requireWebhookSignature,
  type SignedDelivery,
  verifyWebhook,
  type WebhookEnvelope,
  WebhookVerificationError,
} from './verify-webhook.ts';
