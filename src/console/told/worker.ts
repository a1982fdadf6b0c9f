/** The service worker: shows what comes by push, and opens what it is about. It answers no request of the page, and imports nothing. */

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushCame extends WorkerEvent {
  data: { json(): unknown } | null;
}
interface Clicked extends WorkerEvent {
  notification: Notification;
}
interface SubscriptionEnded extends WorkerEvent {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}
interface ShownWindow {
  url: string;
  focus(): Promise<unknown>;
}
interface Worker {
  registration: ServiceWorkerRegistration;
  location: Location;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<ShownWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listen: (event: WorkerEvent) => void): void;
  addEventListener(type: 'push', listen: (event: PushCame) => void): void;
  addEventListener(type: 'notificationclick', listen: (event: Clicked) => void): void;
  addEventListener(type: 'pushsubscriptionchange', listen: (event: SubscriptionEnded) => void): void;
}

const worker = self as unknown as Worker;

const textOf = (told: object, name: string): string => {
  const value: unknown = Reflect.get(told, name);
  return typeof value === 'string' ? value : '';
};

/** Browsers ask that each push shows something. */
const show = async (data: PushCame['data']): Promise<void> => {
  let told: unknown = null;
  try {
    told = data?.json();
  } catch {
    // What is no JSON is not of this instance.
  }
  const from = typeof told === 'object' && told !== null ? told : {};
  const tag = textOf(from, 'tag') || 'postroom';
  // `renotify`: a later one of a tag is heard as well.
  const options: NotificationOptions & { renotify: true } = {
    body: textOf(from, 'body'),
    tag,
    data: textOf(from, 'url'),
    renotify: true,
  };
  await worker.registration.showNotification(textOf(from, 'title') || 'Postroom', options);
};

/** A window that shows it already is taken; any other may have unsent words in it, and stays. */
const open = async (path: unknown): Promise<void> => {
  const url = new URL(typeof path === 'string' ? path : '', worker.location.origin);
  const isOwn = url.origin === worker.location.origin && url.pathname.startsWith('/console/');
  const { href, pathname } = isOwn ? url : new URL('/console/', worker.location.origin);
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find((each) => new URL(each.url).pathname === pathname);
  await (shown ? shown.focus() : worker.clients.openWindow(href));
};

/** A push service may end a subscription for another one: the service is told of it with the session's cookie. */
const renew = async ({ oldSubscription, newSubscription }: SubscriptionEnded): Promise<void> => {
  const made =
    newSubscription ??
    (oldSubscription && (await worker.registration.pushManager.subscribe(oldSubscription.options as never)));
  if (!made) return;
  await fetch('/console/api/told/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(made),
  });
};

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('push', (event) => event.waitUntil(show(event.data)));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

// A module: its names are its own.
export {};
