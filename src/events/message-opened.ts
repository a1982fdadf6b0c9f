/** Opens of messages that were sent with `track_opens`. */

import { formatNamed } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { findAgentByMailbox } from '../store/accounts/agents.ts';
import { countOpen } from '../store/mail/messages.ts';
import type { Store } from '../store/store.ts';
import type { Events } from './publish-events.ts';

/** Counts an open; the first of a message is published, so that an outsider causes one event at most. */
export const createOpenCounter =
  ({ store, clock, events }: { store: Store; clock: Clock; events: Events }) =>
  (openToken: string): Promise<void> =>
    store.write(async (tx) => {
      const opened = await countOpen(tx, openToken, clock.now());
      const agent = opened && (await findAgentByMailbox(tx.db, opened.mailboxId));
      if (!opened || !agent) return;
      const { id, mailboxId, threadId, to, subject } = opened;
      const data = { message_id: id, thread_id: threadId, to: to.map(formatNamed), subject };
      await events.publish(tx, { name: 'message.opened', workspaceId: agent.workspaceId, mailboxId, data });
    });
