/** What is looked up in the caller's mailbox: nothing of another's is ever found. */

import { type Caller, mailboxOf } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { MessageId } from '../../kernel/ids.ts';
import { findMessage, type StoredMessage } from '../../store/messages.ts';
import { findRawMessage } from '../../store/raw-messages.ts';
import type { Db } from '../../store/store.ts';

/** @throws ApiError message_not_found */
export const messageOf = async (db: Db, caller: Caller, id: MessageId): Promise<StoredMessage> => {
  const message = await findMessage(db, mailboxOf(caller), id);
  if (!message) throw new ApiError('message_not_found');
  return message;
};

/** The compressed bytes of a message; null where they are gone. */
export const mimeOf = async (db: Db, message: StoredMessage): Promise<Uint8Array | null> =>
  (await findRawMessage(db, message.rawId))?.mime ?? null;
