/** Tripwires: stop a compromised or faulty agent before it harms the instance's reputation. */

import { addressKey } from '../../kernel/address.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { hasUnknownAddress } from '../../store/mail/correspondents.ts';
import { countColdSends, findCooldown, recipientsOfBody } from '../../store/sending/tripwires.ts';
import type { Db } from '../../store/store.ts';
import type { Check, KnownSend } from './gate-check.ts';

/** A spike: an hour's cold sends above this multiple of the mailbox's hourly mean of a week. */
const SPIKE_FACTOR = 5;
export const COOLDOWN_MS = 60 * MINUTE;
const BURST_WINDOW_MS = 10 * MINUTE;

/**
 * Whether the tripwires count a send as cold: by its class, or because the mailbox never exchanged mail with a
 * recipient. The instance's own notices are exempt: a tripwire would delay what owners have to decide.
 */
export const isColdToTripwires = async ({ sendClass, sender, recipients }: KnownSend, db: Db): Promise<boolean> => {
  if (sender.workspace.hidden) return false;
  const addresses = recipients.map(({ address }) => addressKey(address));
  return sendClass === 'cold' || hasUnknownAddress(db, sender.agent.mailboxId, addresses);
};

export const isNotCoolingDown: Check = async (send, db) => {
  const until = await findCooldown(db, send.sender.agent.mailboxId);
  if (until <= send.now || !(await isColdToTripwires(send, db))) return null;
  return { reason: 'velocity_spike_cooldown', retryAt: until };
};

/** A refusal with this reason also starts the cooldown. */
export const VELOCITY_SPIKE = 'velocity_spike_detected';

export const isNoSpike: Check = async (send, db) => {
  if (!(await isColdToTripwires(send, db))) return null;
  const { lastHour, mean } = await countColdSends(db, send.sender.agent.mailboxId, send.now);
  const limit = Math.max(send.sender.plan.velocity_floor, SPIKE_FACTOR * mean);
  return lastHour + 1 > limit ? { reason: VELOCITY_SPIKE, retryAt: send.now + COOLDOWN_MS } : null;
};

export const bodyIsNoBurst: Check = async (send, db) => {
  const { bodyHash, sender, recipients, now } = send;
  if (bodyHash === null || !(await isColdToTripwires(send, db))) return null;
  const before = await recipientsOfBody(db, sender.agent.mailboxId, bodyHash, now - BURST_WINDOW_MS);
  const all = new Set([...before, ...recipients.map(({ address }) => addressKey(address))]);
  return all.size > sender.plan.duplicate_recipients
    ? { reason: 'duplicate_content_burst_detected', retryAt: now + BURST_WINDOW_MS }
    : null;
};
