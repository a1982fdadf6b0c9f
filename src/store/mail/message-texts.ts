/** The text of mail: its one copy, and with it the engine's full-text index. */

import { sql } from 'kysely';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { IndexedText } from '../search/full-text-search.ts';
import { mailboxToken } from '../search/mailbox-token.ts';
import { readBody, type StoredBody, storedBody } from '../search/packed-text.ts';
import type { Db, Tx } from '../store.ts';
import { messageTexts } from './mail-mappings.ts';

export interface MessageText extends Omit<IndexedText, 'mailbox'> {
  mailboxId: MailboxId;
  /** The body, packed by {@link packText} with the mail's bytes; null: it is stored as it is. */
  packed: Uint8Array | null;
}

const words = messageTexts.omit('seq', 'packed');
const insertText = preparedInsert(messageTexts);

export const insertMessageText = async (
  tx: Tx,
  seq: number,
  { mailboxId, packed, ...text }: MessageText,
): Promise<void> => {
  // Removed from the index by the very text that is stored.
  const indexed = words.read(words.row({ ...text, mailbox: mailboxToken(mailboxId) }));
  await insertText(tx, { seq, ...indexed, ...(packed && { body: '' }), packed });
  await tx.textIndex.add(seq, indexed);
};

const findText = async (db: Db, seq: number): Promise<IndexedText | null> => {
  const { rows } = await sql<Omit<IndexedText, 'body'> & StoredBody>`
    select t.mailbox, t.subject, t.sender, t.recipients, t.attachments, ${sql.raw(storedBody())}
    from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where t.seq = ${seq}`.execute(db);
  return rows[0] ? { ...rows[0], body: readBody(rows[0]) } : null;
};

export const deleteMessageText = async (tx: Tx, seq: number): Promise<void> => {
  const text = await findText(tx.db, seq);
  if (!text) return;
  await tx.textIndex.remove(seq, text);
  await tx.db.deleteFrom('message_texts').where('seq', '=', seq).execute();
};

/** The text a message was indexed with; '' where there is none. */
export const findMessageBody = async (db: Db, seq: number): Promise<string> => (await findText(db, seq))?.body ?? '';
