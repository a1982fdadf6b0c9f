/** The text of mail: the only copy, from which the engine makes its full-text index. */

import { sql } from 'kysely';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { deleteRows } from '../rows.ts';
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

const insertText = preparedInsert(messageTexts);

export const insertMessageText = async (
  tx: Tx,
  seq: number,
  { mailboxId, packed, ...text }: MessageText,
): Promise<void> => {
  const indexed = { ...text, mailbox: mailboxToken(mailboxId) };
  await insertText(tx, { seq, ...indexed, ...(packed && { body: '' }), packed });
  await tx.textIndex.add(seq, indexed);
};

export const deleteMessageText = async (tx: Tx, seq: number): Promise<void> => {
  if ((await deleteRows(tx, messageTexts, { seq })) > 0) await tx.textIndex.remove(seq);
};

/** The text of a message; '' where there is none. */
export const findMessageBody = async (db: Db, seq: number): Promise<string> => {
  const { rows } = await sql<StoredBody>`
    select ${sql.raw(storedBody())}
    from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where t.seq = ${seq}`.execute(db);
  return rows[0] ? readBody(rows[0]) : '';
};
