/** Deliveries to webhook endpoints. */

import type { Config } from '../config/config.ts';
import { SECOND } from '../kernel/clock.ts';
import type { Notices } from '../notices/notices.ts';
import { createWebhookDispatcher } from '../webhooks/dispatcher.ts';
import { createWebhookSeal } from '../webhooks/secrets.ts';
import { purgeEvents } from '../webhooks/webhook-retention.ts';
import { EVERY_HOUR } from './jobs.ts';
import type { Network } from './network.ts';
import { createTellOwners } from './notices.ts';
import type { Processing } from './processing.ts';
import type { Storage } from './storage.ts';

/** A little more than the timeout of a request. */
const DRAIN_MS = 11 * SECOND;

export type Webhooks = ReturnType<typeof createWebhooksPart>;

export const createWebhooksPart = (
  config: Config,
  { store, vaultKey, activity, runtime }: Storage,
  { request }: Network,
  { events, mailLog, onError }: Processing,
  notices: Pick<Notices, 'write'>,
) => {
  const { clock, fraction } = runtime;
  const posting = { request, clock, seal: createWebhookSeal(vaultKey) };
  const tellOwners = createTellOwners(notices.write, config);
  const dispatcher = createWebhookDispatcher({
    ...posting,
    store,
    events,
    mailLog,
    activity,
    randomFraction: fraction,
    notifyOwner: (tx, { workspaceId, url }, failures) =>
      tellOwners(tx, workspaceId, { kind: 'webhook-off', data: { workspaceId, url, failures } }),
    onError,
  });
  return {
    posting,
    dispatcher,
    start: () => {
      // Without the key no request can be signed: deliveries stay due.
      if (vaultKey) dispatcher.start();
    },
    stop: () => dispatcher.stop(DRAIN_MS),
    wake: () => dispatcher.wake(),
    jobs: [{ name: 'purge events', pattern: EVERY_HOUR, run: () => purgeEvents(store, clock.now()) }],
  };
};
