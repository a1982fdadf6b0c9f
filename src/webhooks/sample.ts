/** The sample event of a webhook test. */

import type { Millis, RandomBytes } from '../kernel/clock.ts';
import { EVENTS } from '../kernel/events.ts';
import type { NewId } from '../kernel/ids.ts';
import type { StoredEvent } from '../store/events/event-log.ts';
import type { Webhook } from '../store/events/webhooks.ts';

/** @param mailbox the address in the sample's `mailbox` field */
export const sampleEvent = (
  { workspaceId, mailboxId }: Webhook,
  mailbox: string,
  { newId, random, now }: { newId: NewId; random: RandomBytes; now: Millis },
): Omit<StoredEvent, 'seq'> => {
  const { sample } = EVENTS['message.received'];
  const data = { ...sample, message_id: newId<'message'>(), thread_id: newId<'thread'>(), mailbox };
  const id = `evt_${Buffer.from(random(18)).toString('base64url')}`;
  return { id, workspaceId, mailboxId, name: 'message.received', data, createdAt: now };
};
