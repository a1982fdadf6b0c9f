/** Look-ups in the caller's mailboxes; messages of other mailboxes are not found. */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { MessageId } from '../../kernel/ids.ts';
import { listLiveTempAddresses } from '../../store/accounts/temp-addresses.ts';
import { findMessage, type StoredMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import type { Db } from '../../store/store.ts';

/** @throws ApiError message_not_found */
export const requireMessage = async (db: Db, caller: AgentCaller, id: MessageId): Promise<StoredMessage> =>
  requireFound(await findMessage(db, mailboxOf(caller), id), 'message_not_found');

/**
 * A message with the caller as its reader: it may stand in a disposable mailbox of the caller as well.
 * @throws ApiError message_not_found
 */
export const requireReadable = async (
  db: Db,
  caller: AgentCaller,
  id: MessageId,
  now: Millis,
): Promise<{ reader: AgentCaller; message: StoredMessage }> => {
  const own = await findMessage(db, mailboxOf(caller), id);
  if (own) return { reader: caller, message: own };
  for (const { mailboxId } of await listLiveTempAddresses(db, caller.agentId, now)) {
    const message = await findMessage(db, mailboxId, id);
    if (message) return { reader: { ...caller, mailboxId }, message };
  }
  throw new ApiError('message_not_found');
};

/** The compressed bytes of a message; null where they are gone. */
export const findMime = async (db: Db, message: StoredMessage): Promise<Uint8Array | null> =>
  (await findRawMessage(db, message.rawId))?.mime ?? null;
