/** Deliveries to webhook endpoints. */

import type { Config } from '../config/config.ts';
import type { Notices } from '../notices/notices.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import { listNoticeAddresses } from '../store/owners/told-settings.ts';
import { purgeEvents } from '../webhooks/webhook-retention.ts';
import { createWebhookSending } from '../webhooks/webhook-sending.ts';
import { EVERY_HOUR } from './jobs.ts';
import type { Network } from './network.ts';
import type { Processing } from './processing.ts';
import type { Storage } from './storage.ts';

export type Webhooks = ReturnType<typeof createWebhooksPart>;

export const createWebhooksPart = (
  config: Config,
  { store, vaultKey, activity, runtime }: Storage,
  { request }: Network,
  { events, mailLog, onError }: Processing,
  notices: Pick<Notices, 'write'>,
) => {
  const { clock, fraction } = runtime;
  const sending = createWebhookSending({
    store,
    events,
    mailLog,
    clock,
    vaultKey,
    activity,
    request,
    randomFraction: fraction,
    notifyOwner: async (tx, { workspaceId, url }, failures) => {
      const workspace = await findWorkspaceById(tx.db, workspaceId);
      if (!workspace) return;
      for (const ownerEmail of await listNoticeAddresses(tx.db, workspace, 'mailsNeeds', config.base_domain)) {
        await notices.write(tx, { kind: 'webhook-off', data: { workspaceId, url, failures }, ownerEmail });
      }
    },
    onError,
  });
  return {
    ...sending,
    wake: () => sending.dispatcher.wake(),
    jobs: [{ name: 'purge events', pattern: EVERY_HOUR, run: () => purgeEvents(store, clock.now()) }],
  };
};
