/** Bounds of what waits for a person: a mailbox with more open held mail sends nothing until some of it is decided. */

import { sumHeldSends } from '../../store/sending/held-sends.ts';
import type { Check } from './gate-check.ts';

/** More than a person decides in a day; at 300 requests a minute an agent would otherwise have thousands wait. */
export const MAX_OPEN_HELD = 200;
/** Bytes of held mail, which stands on the disk until it is decided: 20 mails with the largest attachments. */
export const MAX_OPEN_HELD_BYTES = 200 * 1024 * 1024;

/**
 * Refuses every send of a mailbox that has reached a bound, held or not: a refusal of those alone that would be held
 * tells an agent which of its mails hold a secret.
 */
export const heldMailIsFew: Check = async ({ sender: { agent } }, db) => {
  const { count, bytes, firstExpiresAt } = await sumHeldSends(db, agent.mailboxId);
  if (count < MAX_OPEN_HELD && bytes < MAX_OPEN_HELD_BYTES) return null;
  return { reason: 'too_much_held_mail', ...(firstExpiresAt !== null && { retryAt: firstExpiresAt }) };
};
