/** The event of a message that was filed into a mailbox. */

import { type Address, formatNamed } from '../kernel/address.ts';
import type { ThreadId, WorkspaceId } from '../kernel/ids.ts';
import type { NewMessage } from '../store/mail/file-message.ts';
import type { Tx } from '../store/store.ts';
import type { Events } from './publish-events.ts';

export interface Filed {
  message: Pick<NewMessage, 'id' | 'mailboxId' | 'from' | 'subject' | 'snippet' | 'spamVerdict'>;
  threadId: ThreadId;
  workspaceId: WorkspaceId;
  /** The address that received it. */
  mailbox: Address;
}

/** Publishes `message.received`. */
export const publishReceived = (
  events: Events,
  tx: Tx,
  { message, threadId, workspaceId, mailbox }: Filed,
): Promise<void> => {
  const { id, mailboxId, from, subject, snippet, spamVerdict } = message;
  return events.publish(tx, {
    name: 'message.received',
    workspaceId,
    mailboxId,
    data: {
      message_id: id,
      thread_id: threadId,
      mailbox,
      from: formatNamed(from),
      subject,
      snippet,
      spam_verdict: spamVerdict ?? 'UNKNOWN',
    },
  });
};
