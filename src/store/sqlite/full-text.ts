/**
 * The words of mail and their FTS5 index. The index holds no text of its own (external content): a row is taken out of
 * it by naming the very words that went in, so both are only ever changed here.
 */

import { sql } from 'kysely';
import type { MailboxId } from '../../kernel/ids.ts';
import type { Db, Tx } from '../store.ts';
import { preparedInsert } from './prepared-insert.ts';

export interface MessageText {
  mailboxId: MailboxId;
  subject: string;
  sender: string;
  recipients: string;
  /** The names of its attachments. */
  attachments: string;
  body: string;
}

/** The one token that stands for a mailbox. */
export const mailboxToken = (mailboxId: MailboxId): string => `mb${mailboxId.replaceAll('-', '')}`;

const COLUMNS = ['mailbox', 'subject', 'sender', 'recipients', 'attachments', 'body'] as const;
const insertText = preparedInsert('message_texts', ['seq', ...COLUMNS]);
const insertIndex = preparedInsert('message_index', ['rowid', ...COLUMNS]);

export const insertMessageText = async (tx: Tx, seq: number, text: MessageText): Promise<void> => {
  const { mailboxId, subject, sender, recipients, attachments, body } = text;
  const words = { mailbox: mailboxToken(mailboxId), subject, sender, recipients, attachments, body };
  await insertText(tx, { seq, ...words });
  await insertIndex(tx, { rowid: seq, ...words });
};

export const deleteMessageText = async (tx: Tx, seq: number): Promise<void> => {
  await sql`insert into message_index (message_index, rowid, mailbox, subject, sender, recipients, attachments, body)
    select 'delete', seq, mailbox, subject, sender, recipients, attachments, body from message_texts where seq = ${seq}`.execute(
    tx.db,
  );
  await tx.db.deleteFrom('message_texts').where('seq', '=', seq).execute();
};

/** The text a message was indexed with; '' where there is none. */
export const findMessageBody = async (db: Db, seq: number): Promise<string> => {
  const row = await db.selectFrom('message_texts').select('body').where('seq', '=', seq).executeTakeFirst();
  return row?.body ?? '';
};
