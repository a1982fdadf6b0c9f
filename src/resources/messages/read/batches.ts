/** Several messages in one call. */

import type { z } from 'zod';
import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type Id, parseId } from '../../../kernel/ids.ts';
import { findMessage, setMessageFlags } from '../../../store/mail/messages.ts';
import type { Store } from '../../../store/store.ts';
import type { MessageDetail, ReadMessage, readOperations } from './contract.ts';

type InputOf<K extends 'getMany' | 'updateMany'> = z.output<(typeof readOperations)[K]['input']>;

/** Messages beyond the character limit are neither read nor marked read. */
export const readMany = async (
  read: ReadMessage,
  caller: AgentCaller,
  { ids, part, max_chars }: InputOf<'getMany'>,
) => {
  const messages: MessageDetail[] = [];
  const missing: string[] = [];
  const unread: string[] = [];
  let left = max_chars;
  for (const text of new Set(ids)) {
    const id = parseId<'message'>(text);
    if (left <= 0) {
      unread.push(text);
      continue;
    }
    try {
      if (id === null) throw new ApiError('message_not_found');
      const {
        via: _via,
        sent_by: _by,
        ...message
      } = await read(caller, { id, part, offset: 0, max_chars: left }, true);
      messages.push(message);
      left -= message[part]?.length ?? 0;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'message_not_found') throw error;
      missing.push(text);
    }
  }
  return { messages, not_found: missing, not_read: unread };
};

export const updateMany = async (store: Store, caller: AgentCaller, { ids, ...flags }: InputOf<'updateMany'>) => {
  if (flags.unread === undefined && flags.archived === undefined) throw new ApiError('nothing_to_update');
  return store.write(async (tx) => {
    const updated: Id<'message'>[] = [];
    const missing: string[] = [];
    for (const text of new Set(ids)) {
      const id = parseId<'message'>(text);
      const message = id && (await findMessage(tx.db, mailboxOf(caller), id));
      if (!message) {
        missing.push(text);
        continue;
      }
      await setMessageFlags(tx, message, flags);
      updated.push(message.id);
    }
    return { updated: updated.length, not_found: missing };
  });
};
