/** Tells owners of endpoints that were turned off: once each, also where the daemon ends in between. */

import type { Store, Tx } from '../store/store.ts';
import { listWebhooksToTell, markWebhookTold, type Webhook } from '../store/webhooks.ts';

/** Mails the owner; `alongside` runs in the transaction that takes the mail. */
export type TellOwner = (webhook: Webhook, alongside: (tx: Tx) => Promise<void>) => Promise<void>;

/** Thrown inside that transaction where somebody was faster: the mail is taken back. */
class ToldAlready extends Error {}

export interface WebhookNotices {
  /** Tells whoever is to be told. */
  run(): Promise<void>;
}

export const createWebhookNotices = (store: Store, tell: TellOwner): WebhookNotices => ({
  run: async () => {
    for (const webhook of await listWebhooksToTell(store.read)) {
      try {
        await tell(webhook, async (tx) => {
          if (!(await markWebhookTold(tx, webhook.id))) throw new ToldAlready();
        });
      } catch (error) {
        if (!(error instanceof ToldAlready)) throw error;
      }
    }
  },
});
