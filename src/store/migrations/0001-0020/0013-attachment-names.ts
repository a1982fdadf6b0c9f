/** Search finds the names of attachments, those of mail that was stored before too. */

export const up = `
alter table message_texts add column attachments text not null default '';
update message_texts set attachments = coalesce(
  (select group_concat(json_extract(attachment.value, '$.filename'), char(10))
   from messages, json_each(messages.attachments) as attachment where messages.seq = message_texts.seq), '');

-- An index takes no further column: it is made again from the texts.
drop table message_index;
create virtual table message_index using fts5 (
  mailbox, subject, sender, recipients, attachments, body,
  content = 'message_texts', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
);
insert into message_index (message_index) values ('rebuild');
`;
