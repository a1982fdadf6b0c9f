/** The text of mail: the only copy, from which the engine makes its full-text index. */

import { sql } from 'kysely';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { deleteAndCount } from '../rows.ts';
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
  tx.textIndex.added();
};

export const deleteMessageText = async (tx: Tx, seq: number): Promise<void> => {
  if ((await deleteAndCount(tx, messageTexts, { seq })) > 0) await tx.textIndex.remove(seq);
};

/** Octets of mail that are read at once; one may have more. */
const OCTETS_AT_ONCE = 16 * 1024 * 1024;

export interface NumberedText extends IndexedText {
  readonly seq: number;
}

/** The next texts of all mailboxes, in the order of their numbers, which is that of their commits. */
export const listTextsAfter = async (db: Db, after: number, limit: number): Promise<NumberedText[]> => {
  const { rows } = await sql<Omit<NumberedText, 'body'> & StoredBody>`
    with later as (select seq, octet_length(body) as octets from message_texts where seq > ${after} order by seq limit ${limit}),
      sized as (
        select later.seq, sum(octets + coalesce(octet_length(r.mime), 0)) over (order by later.seq) as octets from later
          left join messages m on m.seq = later.seq left join raw_messages r on r.id = m.raw_id
      )
    select t.seq, t.mailbox, t.subject, t.sender, t.recipients, t.attachments, ${sql.raw(storedBody())} from sized
      join message_texts t on t.seq = sized.seq
      left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where sized.octets <= ${OCTETS_AT_ONCE} or t.seq = (select min(seq) from later) order by t.seq`.execute(db);
  return rows.map(({ packed, mime, body, ...text }) => ({ ...text, body: readBody({ packed, mime, body }) }));
};

/** The text of a message; '' where there is none. */
export const findMessageBody = async (db: Db, seq: number): Promise<string> => {
  const { rows } = await sql<StoredBody>`
    select ${sql.raw(storedBody())}
    from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where t.seq = ${seq}`.execute(db);
  return rows[0] ? readBody(rows[0]) : '';
};
