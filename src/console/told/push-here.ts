/** Push in this browser: whether it can be, and its subscription. */

import { type Answer, api } from '../api/client.ts';
import { Failure } from '../api/failure.ts';

const WORKER = '/console/worker.js';

/** Why this browser cannot be told by push, in a sentence; null: it can. */
export const findPushFault = (publicKey: string | null): string | null => {
  if (!window.isSecureContext) return 'Push needs https, or http://localhost: this page came over plain http.';
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
    // iOS gives it to web apps of the home screen alone, and takes as such a page with a manifest. Mailed links open the browser.
    return 'This browser has no push. On an iPhone or iPad, add a passkey, add this page to the home screen, and sign in there with the passkey.';
  }
  if (publicKey === null) return 'Push waits for the key of the vault, which is missing.';
  return Notification.permission === 'denied'
    ? 'This browser refuses notifications of this site: its settings allow them again.'
    : null;
};

const toBytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));

const isSameKey = (subscription: PushSubscription, key: Uint8Array): boolean => {
  const own = new Uint8Array(subscription.options.applicationServerKey ?? new ArrayBuffer());
  return own.length === key.length && own.every((byte, at) => byte === key[at]);
};

/** Asks the person, then the push service of the browser. @throws Failure where either refuses */
export const subscribeHere = async (publicKey: string): Promise<Answer<'told', 'subscribe'>> => {
  const refuse = (words: string) => new Failure(0, 'push_refused', words);
  if ((await Notification.requestPermission()) !== 'granted') {
    throw refuse('The browser was not allowed to show notifications.');
  }
  await navigator.serviceWorker.register(WORKER, { scope: '/console/' });
  const { pushManager } = await navigator.serviceWorker.ready;
  const applicationServerKey = toBytes(publicKey);
  const before = await pushManager.getSubscription();
  // A subscription of another instance at this address has another key.
  if (before && !isSameKey(before, applicationServerKey)) await before.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => {
    throw refuse('The push service of this browser could not be reached.');
  });
  return api.told.subscribe(made.toJSON() as Parameters<typeof api.told.subscribe>[0]);
};
