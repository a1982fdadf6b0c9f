/** The full-text index in the form that new files have: those of older versions keep lists that search does without. */

import type { IndexedText } from '../search/full-text-search.ts';
import { readBody, type StoredBody, storedBody } from '../search/packed-text.ts';
import type { Connection } from './open-database.ts';

/** Lists of the beginnings of three letters (FTS5 section 4.2, `prefix`): store/sqlite/fts5-expression.ts. */
const DEFINITION = `create virtual table message_index using fts5 (
  mailbox, subject, sender, recipients, attachments, body,
  content = 'message_texts', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2', prefix = '3'
)`;
/** Texts that are read at once: no other statement runs while rows are fetched. */
const TEXTS_AT_ONCE = 100;

const isOfOlderForm = (connection: Connection): boolean =>
  connection.prepare("select sql from sqlite_schema where name = 'message_index'").pluck().get() !== DEFINITION;

/** Makes an index of the older form again from the texts: within milliseconds in a new file, in minutes in a large one. */
export const renewIndex = (connection: Connection): void => {
  if (!isOfOlderForm(connection)) return;
  const list = connection.prepare<[number], { seq: number } & Omit<IndexedText, 'body'> & StoredBody>(`
    select t.seq, t.mailbox, t.subject, t.sender, t.recipients, t.attachments, ${storedBody()}
    from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where t.seq > ? order by t.seq limit ${TEXTS_AT_ONCE}`);
  connection.transaction(() => {
    connection.exec('drop table message_index');
    connection.exec(DEFINITION);
    const add =
      connection.prepare(`insert into message_index (rowid, mailbox, subject, sender, recipients, attachments, body)
      values (@seq, @mailbox, @subject, @sender, @recipients, @attachments, @body)`);
    for (let rows = list.all(0); rows.length > 0; rows = list.all(rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER)) {
      for (const { packed, mime, ...row } of rows) add.run({ ...row, body: readBody({ ...row, packed, mime }) });
    }
  })();
};
