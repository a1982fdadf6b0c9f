/** Bounds of held mail: a mailbox at a bound sends nothing until some of its held mail is decided. */

import { sumHeldSends } from '../../store/sending/held-sends.ts';
import type { Check } from './gate-check.ts';

/** More than a person decides in a day; at 300 requests a minute an agent would otherwise have thousands wait. */
export const MAX_OPEN_HELD = 200;
/** Bytes of held mail, which stands on the disk until it is decided: 20 mails with the largest attachments. */
export const MAX_OPEN_HELD_BYTES = 200 * 1024 * 1024;

/**
 * Refuses every send of a mailbox at a bound. Refusing only mail that would be held would tell an agent which of its
 * mails contain a secret.
 */
export const heldMailIsFew: Check = async ({ sender: { agent } }, db) => {
  const { count, bytes, firstExpiresAt } = await sumHeldSends(db, agent.mailboxId);
  if (count < MAX_OPEN_HELD && bytes < MAX_OPEN_HELD_BYTES) return null;
  return { reason: 'too_much_held_mail', ...(firstExpiresAt !== null && { retryAt: firstExpiresAt }) };
};
