/** Ends undelivered mail to the owners of a removed workspace. */

import { type Address, addressKey } from '../../kernel/address.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { findAgent } from '../../store/accounts/agents.ts';
import { listQueuedOf } from '../../store/accounts/removed-agents.ts';
import { isOwnerAddress } from '../../store/owners/own-addresses.ts';
import { findDelivery } from '../../store/sending/deliveries.ts';
import type { Tx } from '../../store/store.ts';
import { CLAIMS, NOTICES, ROLE_MAIL, systemAddress } from './system-senders.ts';

/** Deliveries of one sender, the soonest due first. */
const MAX_QUEUED = 500;

/**
 * Cancels queued mail of the instance to former owners without another workspace. A notice that is not mailed yet is
 * dropped when it is due (app/notices.ts).
 */
export const cancelNotices = async (tx: Tx, owners: readonly Address[], baseDomain: string): Promise<void> => {
  const ended = new Set<string>();
  for (const email of owners) if (!(await isOwnerAddress(tx.db, email))) ended.add(email);
  if (ended.size === 0) return;
  for (const sender of [NOTICES, CLAIMS, ROLE_MAIL]) {
    const agent = await findAgent(tx.db, systemAddress(sender, baseDomain));
    for (const id of agent ? await listQueuedOf(tx.db, agent.mailboxId, MAX_QUEUED) : []) {
      const delivery = await findDelivery(tx.db, id);
      if (delivery && ended.has(addressKey(delivery.address))) await cancelQueued(tx, delivery);
    }
  }
};
