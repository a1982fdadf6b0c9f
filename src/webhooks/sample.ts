/** The event that a test sends. */

import type { Millis, RandomBytes } from '../kernel/clock.ts';
import type { EventData } from '../kernel/events.ts';
import type { NewId } from '../kernel/ids.ts';
import type { StoredEvent } from '../store/events.ts';
import type { Webhook } from '../store/webhooks.ts';

/** @param mailbox the address that it seems to have come to */
export const sampleEvent = (
  { workspaceId, mailboxId }: Webhook,
  mailbox: string,
  { newId, random, now }: { newId: NewId; random: RandomBytes; now: Millis },
): Omit<StoredEvent, 'seq'> => {
  const data: EventData['message.received'] = {
    message_id: newId<'message'>(),
    thread_id: newId<'thread'>(),
    mailbox,
    from: 'Postroom <sender@example.com>',
    subject: 'A test of your webhook',
    snippet: 'This is a sample event. No mail has come.',
    spam_verdict: 'PASS',
  };
  const id = `evt_${Buffer.from(random(18)).toString('base64url')}`;
  return { id, workspaceId, mailboxId, name: 'message.received', data: { ...data }, createdAt: now };
};
