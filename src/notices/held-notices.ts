/** Notifies owners of held mail: one by one up to an hourly limit, then by one digest at the end of the hour. */

import { addressKey, parseNamedAddress } from '../kernel/address.ts';
import { type Clock, HOUR } from '../kernel/clock.ts';
import type { PendingId } from '../kernel/ids.ts';
import { countHeldNotice } from '../store/events/notices.ts';
import { findHeldSend } from '../store/sending/held-sends.ts';
import type { Tx } from '../store/store.ts';
import type { NewNotice } from './notices.ts';

/** Notices of single held mails to an owner in an hour: an agent writes faster than a person reads. */
export const HELD_NOTICES_PER_HOUR = 10;

export interface HeldNotice {
  ownerEmail: string;
  pendingId: PendingId;
  publicUrl: string;
}

export const createNotifyHeld =
  ({ clock, write }: { clock: Clock; write: (tx: Tx, notice: NewNotice) => Promise<void> }) =>
  async (tx: Tx, { ownerEmail, pendingId, publicUrl }: HeldNotice): Promise<void> => {
    const now = clock.now();
    const hour = now - (now % HOUR);
    const address = parseNamedAddress(ownerEmail)?.address;
    const before = await countHeldNotice(tx, address ? addressKey(address) : ownerEmail, hour);
    const url = `${publicUrl}/console/approvals`;
    if (before < HELD_NOTICES_PER_HOUR) {
      await write(tx, { kind: 'held', data: { pendingId, url: `${url}/${pendingId}` }, ownerEmail });
      return;
    }
    // The first mail above the limit schedules the hour's digest.
    if (before > HELD_NOTICES_PER_HOUR) return;
    const since = (await findHeldSend(tx.db, null, pendingId))?.createdAt ?? now;
    await write(tx, { kind: 'held-digest', data: { since, url }, ownerEmail, dueAt: hour + HOUR });
  };
