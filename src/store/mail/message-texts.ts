/** The text of mail: its one copy, and with it the engine's full-text index. */

import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { IndexedText } from '../search/full-text-search.ts';
import { mailboxToken } from '../search/mailbox-token.ts';
import type { Db, Tx } from '../store.ts';
import { messageTexts } from './mail-mappings.ts';

export interface MessageText extends Omit<IndexedText, 'mailbox'> {
  mailboxId: MailboxId;
}

const words = messageTexts.omit('seq');
const insertText = preparedInsert(messageTexts);

export const insertMessageText = async (tx: Tx, seq: number, { mailboxId, ...text }: MessageText): Promise<void> => {
  // Removed from the index by the very text that is stored.
  const indexed = words.read(words.row({ ...text, mailbox: mailboxToken(mailboxId) }));
  await insertText(tx, { seq, ...indexed });
  await tx.textIndex.add(seq, indexed);
};

export const deleteMessageText = async (tx: Tx, seq: number): Promise<void> => {
  const text = await tx.db.selectFrom('message_texts').selectAll().where('seq', '=', seq).executeTakeFirst();
  if (!text) return;
  await tx.textIndex.remove(seq, text);
  await tx.db.deleteFrom('message_texts').where('seq', '=', seq).execute();
};

/** The text a message was indexed with; '' where there is none. */
export const findMessageBody = async (db: Db, seq: number): Promise<string> => {
  const row = await db.selectFrom('message_texts').select('body').where('seq', '=', seq).executeTakeFirst();
  return row?.body ?? '';
};
